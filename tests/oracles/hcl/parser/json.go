package main

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// The labels of Terraform's own blocks.
var root = map[string][]string{
	"terraform": nil, "provider": {"name"}, "variable": {"name"}, "locals": nil, "output": {"name"}, "module": {"name"},
	"resource": {"type", "name"}, "data": {"type", "name"}, "ephemeral": {"type", "name"}, "moved": nil, "removed": nil,
	"import": nil, "check": {"name"},
}

var condition = &schema{Attributes: []string{"condition", "error_message"}}

var lifecycle = &schema{
	Attributes: []string{"create_before_destroy", "prevent_destroy", "ignore_changes", "replace_triggered_by"},
	Blocks:     map[string]*schema{"precondition": condition, "postcondition": condition},
}

func jsonBlocks(body hcl.Body) []block {
	wanted := &hcl.BodySchema{}
	for name, labels := range root {
		wanted.Blocks = append(wanted.Blocks, hcl.BlockHeaderSchema{Type: name, LabelNames: labels})
	}
	content, diags := body.Content(wanted)
	refuse(diags)
	made := []block{}
	for _, one := range content.Blocks {
		switch one.Type {
		case "resource", "data":
			known := schemas[one.Type][one.Labels[0]]
			if known == nil {
				panic("a type without a schema: " + one.Labels[0])
			}
			made = append(made, nested(one, known, true))
		case "variable":
			made = append(made, variable(one))
		default:
			made = append(made, free(one))
		}
	}
	return made
}

func header(one *hcl.Block) block {
	for _, label := range one.Labels {
		if !hclsyntax.ValidIdentifier(label) {
			panic("a name that Terraform refuses: " + label)
		}
	}
	return block{one.Type, append([]string{}, one.Labels...), 0, map[string]string{}, nil, []block{}}
}

// free is a block whose members are all arguments, as those of locals and of a module.
func free(one *hcl.Block) block {
	made := header(one)
	attributes, diags := one.Body.JustAttributes()
	refuse(diags)
	for name, attribute := range attributes {
		made.Values[name] = writeJSON(attribute.Expr, true)
	}
	return made
}

func variable(one *hcl.Block) block {
	made := free(one)
	attributes, _ := one.Body.JustAttributes()
	if type_, ok := attributes["type"]; ok {
		value, diags := type_.Expr.Value(nil)
		refuse(diags)
		parsed, diags := hclsyntax.ParseExpression([]byte(value.AsString()), "", hcl.InitialPos)
		refuse(diags)
		made.Values["type"] = write(parsed)
	}
	return made
}

func nested(one *hcl.Block, known *schema, top bool) block {
	wanted := &hcl.BodySchema{}
	inner := map[string]*schema{}
	for name, each := range known.Blocks {
		inner[name] = each
	}
	names := known.Attributes
	if top {
		names = append(append([]string{}, names...), "count", "for_each", "depends_on", "provider")
		inner["lifecycle"] = lifecycle
	}
	if len(known.Blocks) > 0 && one.Type != "lifecycle" {
		wanted.Blocks = append(wanted.Blocks, hcl.BlockHeaderSchema{Type: "dynamic", LabelNames: []string{"type"}})
	}
	for _, name := range names {
		wanted.Attributes = append(wanted.Attributes, hcl.AttributeSchema{Name: name})
	}
	for name := range inner {
		wanted.Blocks = append(wanted.Blocks, hcl.BlockHeaderSchema{Type: name})
	}
	content, diags := one.Body.Content(wanted)
	refuse(diags)
	made := header(one)
	for name, attribute := range content.Attributes {
		made.Values[name] = writeJSON(attribute.Expr, true)
	}
	for _, each := range content.Blocks {
		next := inner[each.Type]
		if each.Type == "dynamic" {
			inner_ := known.Blocks[each.Labels[0]]
			if inner_ == nil {
				panic("a dynamic block of an unknown type")
			}
			next = &schema{[]string{"for_each", "iterator", "labels"}, map[string]*schema{"content": inner_}}
			made.Blocks = append(made.Blocks, dynamic(each, next))
			continue
		}
		made.Blocks = append(made.Blocks, nested(each, next, false))
	}
	return made
}

func dynamic(one *hcl.Block, known *schema) block {
	content, diags := one.Body.Content(&hcl.BodySchema{
		Attributes: []hcl.AttributeSchema{{Name: "for_each", Required: true}, {Name: "iterator"}, {Name: "labels"}},
		Blocks:     []hcl.BlockHeaderSchema{{Type: "content"}},
	})
	refuse(diags)
	if len(content.Blocks) != 1 {
		panic("a dynamic block with other than one content")
	}
	made := header(one)
	for name, attribute := range content.Attributes {
		made.Values[name] = writeJSON(attribute.Expr, true)
	}
	made.Blocks = append(made.Blocks, nested(content.Blocks[0], known.Blocks["content"], false))
	return made
}

// writeJSON writes a value of JSON, whose texts are templates unless it is in a file of variables.
func writeJSON(expr hcl.Expression, templates bool) string {
	if pairs, diags := hcl.ExprMap(expr); !diags.HasErrors() {
		members := []string{}
		for _, pair := range pairs {
			members = append(members, writeJSON(pair.Key, templates)+" = "+writeJSON(pair.Value, templates))
		}
		return object(members)
	}
	if items, diags := hcl.ExprList(expr); !diags.HasErrors() {
		texts := []string{}
		for _, item := range items {
			texts = append(texts, writeJSON(item, templates))
		}
		return list(texts)
	}
	value, diags := expr.Value(nil)
	refuse(diags)
	if !templates || value.Type() != cty.String || value.IsNull() {
		return writeValue(value)
	}
	template, diags := hclsyntax.ParseTemplate([]byte(value.AsString()), "", hcl.InitialPos)
	refuse(diags)
	return write(template)
}
