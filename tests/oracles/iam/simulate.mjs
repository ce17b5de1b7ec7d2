// Answers simulations, one JSON line each, on standard output: "Allowed", or why not.
import { createInterface } from 'node:readline'
import { runSimulation } from '@cloud-copilot/iam-simulate'

for await (const line of createInterface({ input: process.stdin })) {
  let answer
  try {
    const result = await runSimulation(JSON.parse(line), {})
    const first = result.results?.[0]?.resourceAnalysis ?? result
    answer = result.overallResult ?? first.result ?? result.result ?? JSON.stringify(result).slice(0, 400)
    if (result.errors) answer = `error: ${JSON.stringify(result.errors).slice(0, 300)}`
  } catch (error) {
    answer = `error: ${error.message}`
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
