import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

/** Pages that a later turn through memory got from the system, freed after each. */
const program = `
import { keepFreedMemory } from ${JSON.stringify(new URL('./keep-freed-memory.ts', import.meta.url).href)}
if (process.argv[1] === 'keep') keepFreedMemory()
const turn = () => {
  const before = process.resourceUsage().minorPageFault
  const pieces = Array.from({ length: 32 }, () => new Uint8Array(1024 * 1024).fill(1))
  for (const piece of pieces.reverse()) piece.buffer.transfer(0)
  return process.resourceUsage().minorPageFault - before
}
turn()
turn()
console.log(turn())
`
const isGlibc = 'glibcVersionRuntime' in (process.report.getReport() as { header: object }).header
const skip = isGlibc ? false : 'of glibc alone'

test('memory that was freed is used again without asking the system for it', { skip }, async () => {
  const pagesOf = async (...args: string[]): Promise<number> => {
    const node = ['--input-type=module', '--eval', program, '--', ...args]
    const { stdout } = await promisify(execFile)(process.execPath, node)
    return Number(stdout)
  }
  const pages = (32 * 1024 * 1024) / 4096
  const without = await pagesOf()
  const kept = await pagesOf('keep')
  assert.ok(without > pages / 2, `${without} pages without it: there is nothing to keep`)
  assert.ok(kept < pages / 10, `${kept} of ${pages} pages`)
})
