"""Random worlds of roles, users, boundaries and tables, held against an IAM simulator in a process of its own."""
