// The tests beside the modules of src/ and dashboard/, in a few processes. A process for each of these 500 files would spend most
// of its time on loading the same modules.
import { globSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const parts = 4

/** Imports each fourth test file, from number `part` (0 to 3) on. Their tests run in this process, one after the other. */
export async function importTests(part: number): Promise<void> {
  const paths = globSync(['src/**/*.test.ts', 'dashboard/**/*.test.ts'], { cwd: root }).toSorted()
  const { promise, resolve } = Promise.withResolvers<void>()
  // The others wait for this first test. Otherwise they would run while modules are loaded, and exceed their time limits.
  void test(`the tests of part ${part + 1} are loaded`, () => promise)
  for (const [index, path] of paths.entries()) {
    if (index % parts === part) await import(`../../${path}`)
  }
  resolve()
}
