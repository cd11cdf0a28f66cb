// The faulty disk follows its rules, so that a test with it cannot pass without a fault.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeFaultyDisk, type DiskFault } from './faulty-disk.ts'

const { disk, skip } = makeFaultyDisk()
const folder = mkdtempSync(join(tmpdir(), 'cairn-faults-'))
after(() => {
  disk?.remove()
  rmSync(folder, { recursive: true })
})

/** Runs `script` in a Node process with this disk; `path` is a file of four letters. */
function run(fault: DiskFault | null, script: string): string {
  const path = join(folder, 'file')
  writeFileSync(path, 'abcd')
  disk?.set(fault === null ? [] : [{ ...fault, path: `${folder}/*` }])
  const text = `const fs = require('node:fs'); const path = ${JSON.stringify(path)}; ${script}`
  return execFileSync(process.execPath, ['-e', text], {
    encoding: 'utf8',
    env: { ...process.env, ...disk?.env },
  })
}

const readTwice = `const fd = fs.openSync(path, 'r'); const into = Buffer.alloc(4)
  const read = () => { try { return into.toString('latin1', 0, fs.readSync(fd, into, 0, 4, 0)) } catch (e) { return e.code } }
  process.stdout.write(read() + ' ' + read())`
const fault = { op: 'read', action: 'flip', path: '' } as const

test(
  'a rule flips, cuts or refuses the selected read once, and the bytes on disk stay',
  { skip },
  () => {
    const before = disk?.done().length
    assert.equal(run(null, readTwice), 'abcd abcd')
    assert.equal(run({ ...fault, at: 1 }, readTwice), 'accd abcd')
    assert.equal(run({ ...fault, at: 3, nth: 2, bit: 1 }, readTwice), 'abcd abcf')
    assert.equal(run({ ...fault, action: 'cut' }, readTwice), 'ab abcd')
    assert.equal(run({ ...fault, action: 'fail', times: 0 }, readTwice), 'EIO EIO')
    assert.equal(run({ ...fault, action: 'delay' }, readTwice), 'abcd abcd')
    assert.equal(run({ ...fault, at: 9 }, readTwice), 'abcd abcd')
    assert.equal(readFileSync(join(folder, 'file'), 'utf8'), 'abcd')
    const actions = disk
      ?.done()
      .slice(before)
      .map(({ action }) => action)
    assert.deepEqual(actions, ['flip', 'flip', 'cut', 'fail', 'fail', 'delay'])
  },
)

test('a rule falsifies or refuses the selected write or sync', { skip }, () => {
  const write = `const fd = fs.openSync(path, 'r+'); const tell = (run) => { try { run(); return 'ok' } catch (e) { return e.code } }
    process.stdout.write(tell(() => fs.writeSync(fd, 'wxyz', 0)) + ' ' + tell(() => fs.fdatasyncSync(fd)))`
  const written = (given: DiskFault): string =>
    `${run(given, write)} ${readFileSync(join(folder, 'file'), 'latin1')}`
  assert.equal(written({ ...fault, op: 'write', at: 0 }), 'ok ok vxyz')
  assert.equal(written({ ...fault, op: 'write', action: 'cut' }), 'ok ok wx\0\0')
  assert.equal(written({ ...fault, op: 'write', action: 'fail', errno: 28 }), 'ENOSPC ok abcd')
  assert.equal(written({ ...fault, op: 'sync', action: 'fail' }), 'ok EIO wxyz')
})
