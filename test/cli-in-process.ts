// Runs `cairn` commands in the process of the test. The first one loads the command; each further one takes a hundredth of the time
// of a process, so this suits a test that creates many keys. `runCli` of test/started-server.ts runs a command as a user does.
import { runProgram } from '../src/cli/program.ts'

/** Resolves with the parsed output of the command; rejects on a non-zero exit code. */
export async function runCliInProcess(
  dataDir: string,
  ...command: readonly string[]
): Promise<Record<string, unknown>> {
  let out = ''
  let err = ''
  const code = await runProgram([...command, '--data-dir', dataDir, '--json'], {
    out: (text) => void (out += text),
    err: (text) => void (err += text),
    readInput: async () => '',
    env: process.env,
  })
  if (code !== 0) throw new Error(`cairn ${command.join(' ')} ended with ${code}: ${err}`)
  return JSON.parse(out) as Record<string, unknown>
}
