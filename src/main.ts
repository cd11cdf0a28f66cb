// The process: command line in, exit code out.
// Tested by test/cli.test.ts
import { processEnvironment } from './config/config.ts'
import { runProgram } from './cli/program.ts'
import { readAll } from './cli/read-input.ts'

process.exitCode = await runProgram(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  readInput: () => readAll(process.stdin),
  env: processEnvironment(),
})
