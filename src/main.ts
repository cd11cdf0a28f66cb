// The process: command line in, exit code out.
// Tested by test/cli/cli.test.ts
import { processEnvironment } from './config/config.ts'
import { checkoutInvocation } from './cli/typed-command.ts'
import { runProgram } from './cli/program.ts'
import { promptTerminal } from './cli/prompts.ts'
import { readAll } from './cli/read-input.ts'

// A reader that has gone (`cairn … | head`) takes nothing more; a server goes on serving.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

process.exitCode = await runProgram(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  writeOut: (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
    }),
  err: (text) => process.stderr.write(text),
  readInput: () => readAll(process.stdin),
  env: processEnvironment(),
  // An installed package runs its build.
  ...(import.meta.url.endsWith('.ts') ? { invocation: checkoutInvocation } : {}),
  terminal: { out: process.stdout.isTTY, err: process.stderr.isTTY },
  ...(process.stdin.isTTY
    ? { openQuestions: () => promptTerminal(process.stdin, process.stderr) }
    : {}),
})
