// `cairn import car` against a running server: files are stored completely with their roots pinned, runs continue after a kill, and
// failures are reported.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { cidOf, rawCodec } from '../../src/codec/ipld/cid.ts'
import { writeCar } from '../../src/codec/ipld/car-writer.ts'
import { multihashOf } from '../../src/codec/ipld/multihash.ts'
import { filesClient } from '../fakes/files/files-client.ts'
import { bin, type Started, startCairn, temporaryFolder } from '../started-server.ts'

let server: Started
let folder: string

before(async () => {
  server = await startCairn()
  folder = await temporaryFolder()
})

after(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

type Found = {
  readonly ok: boolean
  readonly imported: number
  readonly present: number
  readonly failed: number
  readonly left: number
  readonly roots: readonly string[]
  readonly report: string | null
}

async function run(
  args: readonly string[],
  during: (child: ChildProcess) => Promise<void> = async () => {},
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
  const child = spawn(process.execPath, [bin, 'import', 'car', ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      CAIRN_URL: server.url,
      CAIRN_KEY: server.apiKey,
      CAIRN_SECRET: server.apiKeySecret,
    },
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const ended = once(child, 'close')
  await during(child)
  await ended
  return { code: child.exitCode, out, err }
}

/** Writes a CAR of one block, and returns its CID. */
async function carOf(
  name: string,
  bytes: Uint8Array,
  section: Uint8Array = bytes,
): Promise<string> {
  const cid = cidOf(1, rawCodec, multihashOf('sha2-256', section))
  async function* blocks() {
    yield { cid, block: bytes }
  }
  const car = Buffer.concat(await Array.fromAsync(writeCar([cid], blocks())))
  writeFileSync(join(folder, name), car)
  return cid.toString()
}

async function pins(): Promise<readonly string[]> {
  const response = await filesClient(server).post('pin/ls?type=recursive')
  const { Keys: keys = {} } = (await response.json()) as { readonly Keys?: object }
  return Object.keys(keys)
}

test('the roots of CAR files are pinned, and a second run skips them', async () => {
  const cids = [await carOf('a.car', Buffer.from('one')), await carOf('b.car', Buffer.from('two'))]
  const first = await run(['a.car', 'b.car'])
  assert.equal(first.code, 0, first.err)
  for (const cid of cids) assert.match(first.out, new RegExp(`^pinned ${cid}$`, 'm'))
  assert.match(first.out, /2 imported in .* s, 0 already pinned, 0 failed\.\n$/)
  const here = await pins()
  for (const cid of cids) assert.ok(here.includes(cid))
  const again = JSON.parse((await run(['a.car', 'b.car', '--json'])).out) as Found
  assert.deepEqual([again.ok, again.imported, again.present], [true, 0, 2])
})

test('a failure does not end the run, and the report is valid input for the next run', async () => {
  const good = await carOf('good.car', Buffer.from('good'))
  await carOf('lie.car', Buffer.from('a lie'), Buffer.from('the truth'))
  writeFileSync(join(folder, 'cut.car'), readFileSync(join(folder, 'good.car')).subarray(0, 70))
  const files = ['lie.car', 'cut.car', 'absent.car', 'good.car']
  const { code, out } = await run([...files, '--json'])
  const found = JSON.parse(out) as Found
  assert.equal(code, 1)
  assert.deepEqual([found.imported, found.failed, found.left], [1, 3, 0])
  assert.ok((await pins()).includes(good))
  const report = readFileSync(join(folder, 'import-car.failed'), 'utf8')
  assert.match(report, /^# there is no such file or folder\nabsent\.car$/m)
  assert.match(report, /^# .*\nlie\.car$/m)
  // Repair the files and repeat the run with only the failed ones.
  for (const name of ['lie.car', 'cut.car', 'absent.car']) await carOf(name, Buffer.from(name))
  const again = JSON.parse((await run(['--list', 'import-car.failed', '--json'])).out) as Found
  assert.deepEqual([again.imported, again.failed, again.report], [3, 0, null])
  assert.equal(existsSync(join(folder, 'import-car.failed')), false)
})

test('a killed import continues where it stopped', { timeout: 300_000 }, async () => {
  const before = (await pins()).length
  const names = Array.from({ length: 200 }, (_, index) => `many-${index}.car`)
  for (const name of names) await carOf(name, Buffer.alloc(50_000, name))
  await run(names, async (child) => {
    while ((await pins()).length < before + 20);
    child.kill('SIGKILL')
  })
  const half = (await pins()).length - before
  assert.ok(half >= 20 && half < 200, `${half} files`)
  const { code, out, err } = await run([...names, '--json'])
  assert.equal(code, 0, err)
  const found = JSON.parse(out) as Found
  assert.ok(found.present >= half - 4)
  assert.equal(found.imported + found.present, 200)
  assert.equal((await pins()).length - before, 200)
})

test('a missing file and an invalid number are reported', async () => {
  assert.match((await run([])).err, /no CAR files/)
  assert.equal((await run(['a.car', '--at-once', '0'])).code, 2)
})
