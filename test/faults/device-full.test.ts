// A device that fills up during a large add: the add is refused completely, everything else continues, and the same
// server accepts the same add once space is free.
// Tests guarantee 2 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { filesClient } from '../fakes/files/files-client.ts'
import { noise } from '../fakes/seeded.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

const run = promisify(execFile)
const mib = 1024 * 1024
const large = noise('large', 64 * mib)
const refused = '{"Message":"no space left on this server","Code":0,"Type":"error"}\n'

test('the device fills up during an add of 64 MiB', { timeout: 300_000 }, async (t) => {
  const dataDir = await temporaryFolder()
  const folder = ['unshare', '--user', '--map-root-user', '--mount', 'sh', '-c']
  const mount = `mount -t tmpfs -o size=192m cairn '${dataDir}'`
  const missing = await run(folder[0] ?? '', [...folder.slice(1), mount]).then(
    () => null,
    (error: Error) => error.message,
  )
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  if (missing !== null) return t.diagnostic(`no file system of a size can be made here: ${missing}`)

  const server = await startCairn({ dataDir, behind: [...folder, `${mount} && exec "$0" "$@"`] })
  t.after(() => server.stop())
  const inside = `/proc/${server.child.pid}/root${dataDir}`
  const filler = join(inside, 'filler')
  await meetFullDevice(server, {
    fill() {
      const { bavail, bsize } = statfsSync(inside)
      writeFileSync(filler, Buffer.alloc(bavail * bsize - 36 * mib))
    },
    free: () => rmSync(filler),
  })
})

test('a file of 64 MiB exceeds the file size limit half way', { timeout: 300_000 }, async (t) => {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  const server = await startCairn({ dataDir })
  t.after(() => server.stop())
  const limit = (soft: string) =>
    run('prlimit', ['--pid', String(server.child.pid), `--fsize=${soft}:`])
  const missing = await limit('unlimited').then(
    () => null,
    (error: Error) => error.message,
  )
  if (missing !== null) return t.diagnostic(`files cannot be limited here: ${missing}`)
  await meetFullDevice(server, {
    fill: () => limit(String(56 * mib)),
    free: () => limit('unlimited'),
  })
})

async function meetFullDevice(
  server: Started,
  device: { readonly fill: () => unknown; readonly free: () => unknown },
): Promise<void> {
  const { post, add } = filesClient(server)
  const digest = async (cid: string) => {
    const response = await post(`cat?arg=${cid}`)
    assert.equal(response.status, 200)
    const hash = createHash('sha256')
    for await (const chunk of response.body ?? []) hash.update(chunk)
    return hash.digest('hex')
  }
  const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  const stored = async () => await (await post('repo/stat')).json()
  const small = noise('small', 300_000)
  const kept = await add(small)
  const other = await add(noise('other', 20 * mib))
  const before = await stored()

  await device.fill()
  for (let time = 0; time < 2; time += 1) {
    const form = new FormData()
    form.set('file', new Blob([large]), 'large')
    const response = await post('add', form)
    assert.deepEqual([response.status, await response.text()], [507, refused])
    assert.equal(await digest(kept), digestOf(small))
    assert.deepEqual(await stored(), before)
  }
  const tiny = await post('add', formOf(noise('tiny', 2_000)))
  await tiny.arrayBuffer()
  // Deleting must work on a full device, because it frees space.
  const unpinned = await post(`pin/rm?arg=${other}`)
  assert.equal(unpinned.status, 200, await unpinned.text())

  await device.free()
  const cid = await add(large)
  assert.equal(await digest(cid), digestOf(large))
  assert.equal(await digest(kept), digestOf(small))
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
}

function formOf(bytes: Uint8Array): FormData {
  const form = new FormData()
  form.set('file', new Blob([new Uint8Array(bytes)]), 'file')
  return form
}
