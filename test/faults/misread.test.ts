// A started server on a disk with occasional read errors: stored content remains, and is served once it can be read.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeFaultyDisk } from './faulty-disk.ts'
import { startCairn, temporaryFolder, type Started } from '../started-server.ts'

const { disk, skip } = makeFaultyDisk()
after(() => disk?.remove())

const authorize = ({ apiKey, apiKeySecret }: Started): string =>
  `Basic ${Buffer.from(`${apiKey}:${apiKeySecret}`).toString('base64')}`

async function command(server: Started, path: string, body?: FormData) {
  const headers = { authorization: authorize(server) }
  const answer = await fetch(`${server.url}/api/v0/${path}`, {
    method: 'POST',
    headers,
    ...(body === undefined ? {} : { body }),
  })
  const bytes = await answer.bytes().catch(() => new Uint8Array())
  return { status: answer.status, bytes, text: Buffer.from(bytes).toString() }
}

async function add(server: Started, content: Uint8Array<ArrayBuffer>): Promise<string> {
  const body = new FormData()
  body.append('file', new Blob([content]))
  const { status, text } = await command(server, 'add', body)
  assert.equal(status, 200)
  return (JSON.parse(text) as { Hash: string }).Hash
}

test('a wrong read of a pinned file is repeated, and no data is lost', { skip }, async () => {
  const server = await startCairn({ env: { ...disk?.env } })
  try {
    const small = new Uint8Array(5000).fill(7)
    const large = new Uint8Array(1_000_000).map((_, at) => at >>> 8)
    for (const content of [small, large]) {
      const cid = await add(server, content)
      for (const action of ['flip', 'cut'] as const) {
        disk?.set([{ op: 'read', action, path: '*/store/*' }])
        assert.deepEqual((await command(server, `cat?arg=${cid}`)).bytes, content)
        assert.equal(disk?.done().at(-1)?.action, action)
      }
    }
  } finally {
    await server.stop()
  }
})

test(
  'a pinned file with damaged bytes stays in quarantine, is reported, and is served again once it can be read',
  { skip },
  async () => {
    const server = await startCairn({ env: { ...disk?.env } })
    try {
      const content = new Uint8Array(300_000).map((_, at) => at >>> 8)
      const cid = await add(server, content)
      // Each later read of this position returns wrong bytes.
      disk?.set([{ op: 'read', action: 'flip', path: '*/store/ext/*', at: 5000, times: 0 }])
      const { status, text } = await command(server, `cat?arg=${cid}`)
      assert.equal(status, 500)
      assert.match(text, /stored copy is damaged/)
      const list = await command(server, `pin/ls?arg=${cid}`)
      assert.equal(list.status, 200)
      const verified = await cliFails(server, 'store', 'verify')
      // The command itself runs on a disk without faults.
      assert.partialDeepStrictEqual(verified, { bad: 0, released: 1, unreadablePins: 1 })
      assert.deepEqual((verified['pins'] as { cid: string }[])[0]?.cid, cid)
      const doctor = await cliFails(server, 'doctor')
      assert.match(JSON.stringify(doctor), /copies_quarantined/)

      const other = await add(server, content)
      assert.equal(other, cid)
      assert.deepEqual((await command(server, `cat?arg=${cid}`)).bytes, content)
      disk?.set([])
      const good = await server.cli('store', 'verify')
      assert.partialDeepStrictEqual(good, {
        bad: 0,
        quarantined: 0,
        released: 0,
        unreadablePins: 0,
      })
    } finally {
      await server.stop()
    }
  },
)

test('a copy in quarantine is served again after a start that can read it', { skip }, async () => {
  const dataDir = await temporaryFolder()
  try {
    const first = await startCairn({ dataDir, env: { ...disk?.env } })
    const content = new Uint8Array(300_000).map((_, at) => at >>> 8)
    const cid = await add(first, content)
    disk?.set([{ op: 'read', action: 'flip', path: '*/store/ext/*', at: 5000, times: 0 }])
    assert.equal((await command(first, `cat?arg=${cid}`)).status, 500)
    await first.stop()
    disk?.set([])
    const second = await startCairn({ dataDir })
    const again = { ...second, apiKey: first.apiKey, apiKeySecret: first.apiKeySecret }
    assert.deepEqual((await command(again, `cat?arg=${cid}`)).bytes, content)
    await second.stop()
  } finally {
    await rm(dataDir, { recursive: true })
  }
})

/** The JSON that a command printed before it exited with 1. */
async function cliFails(server: Started, ...args: string[]): Promise<Record<string, unknown>> {
  const failed: unknown = await server.cli(...args).then(
    () => assert.fail(`${args.join(' ')} found nothing`),
    (error: unknown) => error,
  )
  assert.ok(failed instanceof Error && 'stdout' in failed)
  return JSON.parse(String(failed.stdout)) as Record<string, unknown>
}

test('a temporarily unreadable or unwritable database ends no process', { skip }, async () => {
  const server = await startCairn({ env: { ...disk?.env } })
  try {
    const before = await add(server, new Uint8Array(5000).fill(1))
    const faults = disk?.done().length ?? 0
    disk?.set([
      { op: 'read', action: 'fail', path: '*/cairn.db*', times: 0 },
      { op: 'write', action: 'fail', path: '*/cairn.db*', times: 0 },
    ])
    // Timers and requests read and write in the meantime; each request gets a reply, possibly an error.
    for (let second = 0; (disk?.done().length ?? 0) < faults + 20; second += 1) {
      assert.ok(second < 200, 'the faults were met')
      await Promise.all([
        server.rpc('eth_getBlockByNumber', [`0x${second.toString(16)}`, false]),
        command(server, `block/stat?arg=${before}`),
        command(server, 'pin/ls'),
        command(server, `pin/add?arg=${before}`),
      ])
    }
    disk?.set([])
    assert.equal(server.child.exitCode, null)
    assert.deepEqual(
      (await command(server, `cat?arg=${before}`)).bytes,
      new Uint8Array(5000).fill(1),
    )
  } finally {
    await server.stop()
  }
})

test(
  'a database whose reads fail is reported as unreadable, not as a full disk',
  { skip },
  async () => {
    const folder = await temporaryFolder()
    try {
      const path = join(folder, 'cairn.db')
      const program = `
      import { openDatabase } from ${JSON.stringify(new URL('../../src/db/sqlite.ts', import.meta.url).href)}
      const [path, ...options] = process.argv.slice(1)
      try {
        const db = openDatabase(path, { bare: options.includes('bare') })
        if (!options.includes('bare')) db.exec('CREATE TABLE a (n); INSERT INTO a VALUES (1)')
        console.log(db.getValue('SELECT n FROM a'))
        db.close()
      } catch (error) {
        console.log(error.code, error.message)
      }`
      const run = (...args: readonly string[]) =>
        execFileSync(process.execPath, ['--input-type=module', '-e', program, path, ...args], {
          env: { ...process.env, ...disk?.env },
          encoding: 'utf8',
        }).trim()
      disk?.set([])
      assert.equal(run(), '1')
      assert.equal(run('bare'), '1')
      // At the open, and at a later read.
      for (const options of [[], ['bare']]) {
        disk?.set([{ op: 'read', action: 'fail', path: '*/cairn.db', times: 0 }])
        assert.match(run(...options), /^damaged cannot read the database: disk I\/O error/)
      }
    } finally {
      disk?.set([])
      await rm(folder, { recursive: true })
    }
  },
)

test(
  'a start that cannot read its database names the data folder and the cause',
  { skip },
  async () => {
    const dataDir = await temporaryFolder()
    try {
      disk?.set([])
      const first = await startCairn({ dataDir })
      await first.stop()
      disk?.set([{ op: 'read', action: 'fail', path: '*/cairn.db', times: 0 }])
      await assert.rejects(startCairn({ dataDir, env: { ...disk?.env } }), {
        message: new RegExp(`${dataDir}: cannot read the database: disk I/O error: check the disk`),
      })
    } finally {
      disk?.set([])
      await rm(dataDir, { recursive: true })
    }
  },
)
