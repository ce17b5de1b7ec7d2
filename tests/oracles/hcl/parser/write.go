package main

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// One way to write an expression: operators and conditionals in parentheses, texts without templates in quotes,
// templates as join(a, b), splats as each(a, what is taken of _), numbers with all their digits.

var signs = map[*hclsyntax.Operation]string{
	hclsyntax.OpLogicalOr: "||", hclsyntax.OpLogicalAnd: "&&", hclsyntax.OpEqual: "==", hclsyntax.OpNotEqual: "!=",
	hclsyntax.OpGreaterThan: ">", hclsyntax.OpGreaterThanOrEqual: ">=", hclsyntax.OpLessThan: "<",
	hclsyntax.OpLessThanOrEqual: "<=", hclsyntax.OpAdd: "+", hclsyntax.OpSubtract: "-", hclsyntax.OpMultiply: "*",
	hclsyntax.OpDivide: "/", hclsyntax.OpModulo: "%", hclsyntax.OpNegate: "-", hclsyntax.OpLogicalNot: "!",
}

func write(expr hclsyntax.Expression) string {
	switch one := expr.(type) {
	case *hclsyntax.LiteralValueExpr:
		return writeValue(one.Val)
	case *hclsyntax.TemplateExpr:
		return joined(one.Parts)
	case *hclsyntax.TemplateWrapExpr:
		return write(one.Wrapped)
	case *hclsyntax.ParenthesesExpr:
		return write(one.Expression)
	case *hclsyntax.ScopeTraversalExpr:
		return one.Traversal.RootName() + steps(one.Traversal[1:])
	case *hclsyntax.RelativeTraversalExpr:
		return write(one.Source) + steps(one.Traversal)
	case *hclsyntax.IndexExpr:
		return write(one.Collection) + "[" + write(one.Key) + "]"
	case *hclsyntax.SplatExpr:
		return "each(" + write(one.Source) + ", " + write(one.Each) + ")"
	case *hclsyntax.AnonSymbolExpr:
		return "_"
	case *hclsyntax.FunctionCallExpr:
		return call(one)
	case *hclsyntax.ConditionalExpr:
		return fmt.Sprintf("(%s ? %s : %s)", write(one.Condition), write(one.TrueResult), write(one.FalseResult))
	case *hclsyntax.ForExpr:
		return loop(one)
	case *hclsyntax.ObjectConsExpr:
		members := []string{}
		for _, item := range one.Items {
			members = append(members, write(item.KeyExpr)+" = "+write(item.ValueExpr))
		}
		return object(members)
	case *hclsyntax.ObjectConsKeyExpr:
		if word := hcl.ExprAsKeyword(one.Wrapped); word != "" && !one.ForceNonLiteral {
			return writeValue(cty.StringVal(word))
		}
		return write(one.Wrapped)
	case *hclsyntax.TupleConsExpr:
		return list(all(one.Exprs))
	case *hclsyntax.UnaryOpExpr:
		return signed(signs[one.Op], write(one.Val))
	case *hclsyntax.BinaryOpExpr:
		return fmt.Sprintf("(%s %s %s)", write(one.LHS), signs[one.Op], write(one.RHS))
	case *hclsyntax.TemplateJoinExpr:
		return "directive(" + write(one.Tuple) + ")"
	}
	panic(fmt.Sprintf("no way to write %T", expr))
}

func all(exprs []hclsyntax.Expression) []string {
	texts := []string{}
	for _, one := range exprs {
		texts = append(texts, write(one))
	}
	return texts
}

func list(items []string) string {
	return "[" + strings.Join(items, ", ") + "]"
}

func object(members []string) string {
	return "{" + strings.Join(members, ", ") + "}"
}

func call(one *hclsyntax.FunctionCallExpr) string {
	spread := ""
	if one.ExpandFinal {
		spread = "..."
	}
	return strings.TrimPrefix(one.Name, "core::") + "(" + strings.Join(all(one.Args), ", ") + spread + ")"
}

func loop(one *hclsyntax.ForExpr) string {
	names := one.ValVar
	if one.KeyVar != "" {
		names = one.KeyVar + ", " + names
	}
	made := "for " + names + " in " + write(one.CollExpr) + " : "
	if one.KeyExpr != nil {
		made += write(one.KeyExpr) + " => "
	}
	made += write(one.ValExpr)
	if one.Group {
		made += "..."
	}
	if one.CondExpr != nil {
		made += " if " + write(one.CondExpr)
	}
	if one.KeyExpr != nil {
		return "{" + made + "}"
	}
	return "[" + made + "]"
}

// signed folds the sign of a number.
func signed(sign string, operand string) string {
	if sign == "-" && strings.ContainsAny(operand[:1], "0123456789") {
		return "-" + operand
	}
	if sign == "-" && len(operand) > 1 && operand[0] == '-' {
		return operand[1:]
	}
	return "(" + sign + operand + ")"
}

func steps(way hcl.Traversal) string {
	made := ""
	for _, step := range way {
		switch one := step.(type) {
		case hcl.TraverseAttr:
			made += "." + one.Name
		case hcl.TraverseIndex:
			made += "[" + writeValue(one.Key) + "]"
		default:
			panic(fmt.Sprintf("no way to write %T", step))
		}
	}
	return made
}

// joined makes one text of neighbours that are texts.
func joined(parts []hclsyntax.Expression) string {
	texts := []string{}
	for _, text := range all(parts) {
		if last := len(texts) - 1; last >= 0 && isText(text) && isText(texts[last]) {
			texts[last] = texts[last][:len(texts[last])-1] + text[1:]
			continue
		}
		texts = append(texts, text)
	}
	switch {
	case len(texts) == 0:
		return quoted("")
	case len(texts) == 1 && isText(texts[0]):
		return texts[0]
	}
	return "join(" + strings.Join(texts, ", ") + ")"
}

func isText(text string) bool {
	return text[0] == '"' && text[len(text)-1] == '"'
}

func writeValue(value cty.Value) string {
	switch {
	case value.IsNull():
		return "null"
	case value.Type() == cty.String:
		return quoted(value.AsString())
	case value.Type() == cty.Bool:
		return fmt.Sprint(value.True())
	case value.Type() == cty.Number:
		text, power, _ := strings.Cut(value.AsBigFloat().Text('e', 149), "e")
		return strings.TrimRight(strings.TrimRight(text, "0"), ".") + "e" + power
	case value.Type().IsObjectType():
		members := []string{}
		for it := value.ElementIterator(); it.Next(); {
			key, one := it.Element()
			members = append(members, writeValue(key)+" = "+writeValue(one))
		}
		return object(members)
	}
	items := []string{}
	for it := value.ElementIterator(); it.Next(); {
		_, one := it.Element()
		items = append(items, writeValue(one))
	}
	return list(items)
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
