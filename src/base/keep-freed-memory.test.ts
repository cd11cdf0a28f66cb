import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'

const module = JSON.stringify(new URL('./keep-freed-memory.ts', import.meta.url).href)
/** Pages that a later turn through memory got from the system, freed after each. */
const countPages = `
import { keepFreedMemory } from ${module}
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
/** Where the system gives 2 MiB at a time, there are too few to count. */
const hasHugePages = readHugePages().includes('[always]')
const skip = !isGlibc ? 'of glibc alone' : hasHugePages ? 'huge pages are on' : false

function readHugePages(): string {
  try {
    return readFileSync('/sys/kernel/mm/transparent_hugepage/enabled', 'utf8')
  } catch {
    return ''
  }
}

test('where there is no room for the piece, nothing is thrown', async () => {
  const program = `
import { keepFreedMemory } from ${module}
globalThis.ArrayBuffer = class { constructor() { throw new RangeError('Array buffer allocation failed') } }
keepFreedMemory()
`
  const node = ['--input-type=module', '--eval', program]
  await promisify(execFile)(process.execPath, node)
})

test('memory that was freed is used again without asking the system for it', { skip }, async () => {
  const pagesOf = async (...args: string[]): Promise<number> => {
    const node = ['--input-type=module', '--eval', countPages, '--', ...args]
    const { stdout } = await promisify(execFile)(process.execPath, node)
    return Number(stdout)
  }
  const pageBytes = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }))
  const pages = (32 * 1024 * 1024) / pageBytes
  const without: number[] = []
  // What another thread of the process takes behind them keeps freed pieces too, now and then.
  while (without.length < 10 && !without.some((each) => each > pages / 2)) {
    without.push(await pagesOf())
  }
  const kept = await pagesOf('keep')
  assert.ok(
    without.some((each) => each > pages / 2),
    `${without.join()} pages without it: there is nothing to keep`,
  )
  assert.ok(kept < pages / 10, `${kept} of ${pages} pages`)
})
