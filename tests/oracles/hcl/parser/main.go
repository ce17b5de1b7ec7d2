// Reads Terraform files with HashiCorp's parser and writes what they say, one line of JSON for each line of input.
//
// A line of input is {"name": "main.tf", "data": base64}. The answer has "error", or the "blocks" of the file, or for a
// file of variables its "values". Expressions are written in one way, however they were spelled: see write.go.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	hcljson "github.com/hashicorp/hcl/v2/json"
)

type question struct {
	Name string `json:"name"`
	Data []byte `json:"data"`
}

type answer struct {
	Error  string            `json:"error,omitempty"`
	Blocks []block           `json:"blocks,omitempty"`
	Values map[string]string `json:"values,omitempty"`
}

type block struct {
	Type   string            `json:"type"`
	Labels []string          `json:"labels"`
	Line   int               `json:"line"` // 0 in JSON, where places are not compared
	Values map[string]string `json:"values"`
	Lines  map[string][2]int `json:"lines,omitempty"` // of a name and of its value
	Blocks []block           `json:"blocks"`
}

// The nested blocks and arguments of a block, as a provider's schema has them.
type schema struct {
	Attributes []string           `json:"attributes"`
	Blocks     map[string]*schema `json:"blocks"`
}

var schemas map[string]map[string]*schema // "resource" or "data", then the type

func main() {
	data, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = json.Unmarshal(data, &schemas)
	}
	check(err)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<28)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		var asked question
		check(json.Unmarshal(lines.Bytes(), &asked))
		check(out.Encode(read(asked)))
	}
	check(lines.Err())
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func read(asked question) (found answer) {
	defer func() {
		if fault := recover(); fault != nil {
			found = answer{Error: fmt.Sprint(fault)}
		}
	}()
	if strings.HasSuffix(asked.Name, ".json") {
		file, diags := hcljson.Parse(asked.Data, asked.Name)
		refuse(diags)
		if strings.Contains(asked.Name, ".tfvars") {
			return answer{Values: assignments(file.Body)}
		}
		return answer{Blocks: jsonBlocks(file.Body)}
	}
	file, diags := hclsyntax.ParseConfig(asked.Data, asked.Name, hcl.InitialPos)
	refuse(diags)
	body := file.Body.(*hclsyntax.Body)
	if strings.Contains(asked.Name, ".tfvars") {
		if len(body.Blocks) > 0 {
			panic("a block in a file of variables")
		}
		values, _ := arguments(body)
		return answer{Values: values}
	}
	if len(body.Attributes) > 0 {
		panic("an argument outside of any block")
	}
	return answer{Blocks: blocks(body)}
}

// refuse gives up on the file: read makes an error of it.
func refuse(diags hcl.Diagnostics) {
	for _, one := range diags {
		if one.Severity == hcl.DiagError {
			panic(one.Summary)
		}
	}
}

func blocks(body *hclsyntax.Body) []block {
	made := []block{}
	for _, one := range body.Blocks {
		values, lines := arguments(one.Body)
		labels := append([]string{}, one.Labels...)
		made = append(made, block{one.Type, labels, one.TypeRange.Start.Line, values, lines, blocks(one.Body)})
	}
	return made
}

func arguments(body *hclsyntax.Body) (map[string]string, map[string][2]int) {
	values, lines := map[string]string{}, map[string][2]int{}
	for name, one := range body.Attributes {
		values[name] = write(one.Expr)
		lines[name] = [2]int{one.NameRange.Start.Line, one.Expr.Range().Start.Line}
	}
	return values, lines
}

func assignments(body hcl.Body) map[string]string {
	attributes, diags := body.JustAttributes()
	refuse(diags)
	values := map[string]string{}
	for name, one := range attributes {
		values[name] = writeJSON(one.Expr, false)
	}
	return values
}
