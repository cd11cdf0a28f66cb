// What of an import failed, as a file that is a list for the next run.
// Tested by test/cli/import-pins.test.ts
import { rename, rm, writeFile } from 'node:fs/promises'

/** Written whole or not at all; no lines: null, and no report is left of an earlier run. Resolves with its path. */
export async function writeReport(path: string, lines: readonly string[]): Promise<string | null> {
  if (lines.length === 0) {
    await rm(path, { force: true })
    return null
  }
  await writeFile(`${path}.new`, `${lines.join('\n')}\n`)
  await rename(`${path}.new`, path)
  return path
}
