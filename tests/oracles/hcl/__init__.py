"""Terraform source: files against HashiCorp's parser, expressions and modules against Terraform itself."""
