// Quotas of keys and accounts on a started server: exact refusals, nothing stored or charged beyond the transferred
// bytes, and monthly totals that survive a restart.
import assert from 'node:assert/strict'
import { createCipheriv } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { runCliInProcess } from '../cli-in-process.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

type Key = { readonly id: string; readonly apiKey: string; readonly apiKeySecret: string }

let dataDir = ''
let cairn: Started
before(async () => {
  dataDir = await temporaryFolder()
  cairn = await startCairn({ dataDir })
})
after(async () => {
  await cairn.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const transferBody = '{"Message":"not allowed - transfer quota reached","Code":4,"Type":"error"}\n'
const storageBody = '{"Message":"not allowed - storage quota reached","Code":4,"Type":"error"}\n'

let accounts = 0

/** A key of a new account with a card. */
async function newKey(
  options: readonly string[] = [],
  limits: readonly string[] = [],
): Promise<Key & { readonly account: string }> {
  const account = `account-${(accounts += 1)}`
  await runCliInProcess(dataDir, 'accounts', 'create', account)
  await runCliInProcess(dataDir, 'card', 'set', account)
  if (limits.length > 0) await runCliInProcess(dataDir, 'accounts', 'set', account, ...limits)
  const key = (await runCliInProcess(
    dataDir,
    'keys',
    'create',
    '--account',
    account,
    ...options,
  )) as Key
  return { ...key, account }
}

function send(
  key: Key,
  path: string,
  body?: FormData | ReadableStream,
  headers: Record<string, string> = {},
) {
  return fetch(`${cairn.url}/api/v0/${path}`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${key.apiKey}:${key.apiKeySecret}`)}`,
      ...headers,
    },
    ...(body === undefined ? {} : { body, duplex: 'half' as const }),
  })
}

function form(bytes: Uint8Array): FormData {
  const data = new FormData()
  data.append('file', new Blob([Buffer.from(bytes)]), 'f')
  return data
}

const boundary = 'quota-edge'
const chunkedType = { 'content-type': `multipart/form-data; boundary=${boundary}` }

/** As above, without a declared length. */
function chunked(...pieces: readonly (Uint8Array | Promise<Uint8Array | void>)[]): ReadableStream {
  return ReadableStream.from(
    (async function* () {
      yield Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`,
      )
      for (const piece of pieces) {
        const bytes = await piece
        if (bytes instanceof Uint8Array) yield bytes
      }
      yield Buffer.from(`\r\n--${boundary}--\r\n`)
    })(),
  )
}

function noise(size: number, seed: number): Buffer {
  const key = Buffer.alloc(32, seed)
  return createCipheriv('chacha20', key, Buffer.alloc(16)).update(Buffer.alloc(size))
}

async function added(key: Key, bytes: Uint8Array): Promise<string> {
  const response = await send(key, 'add', form(bytes))
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return (JSON.parse(text) as { Hash: string }).Hash
}

async function refused(response: Response, body: string): Promise<void> {
  assert.equal(await response.text(), body)
  assert.equal(response.status, 403)
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
}

const storedBytes = async (key: Key): Promise<number> =>
  ((await (await send(key, 'repo/stat')).json()) as { RepoSize: number }).RepoSize

test('a key can upload a limited number of bytes a month, with and without a declared length', async () => {
  const key = await newKey(['--files-upload-bytes-per-month', '500000'])
  await added(key, noise(300_000, 1))
  await refused(await send(key, 'add', form(noise(300_000, 2))), transferBody)
  const stored = await storedBytes(key)
  await refused(await send(key, 'add', chunked(noise(300_000, 3)), chunkedType), transferBody)
  assert.equal(await storedBytes(key), stored)
  // The bytes that were read count as used; reads continue to work.
  await refused(await send(key, 'block/put', form(noise(100_000, 4))), transferBody)
  assert.equal((await send(key, 'version')).status, 200)
})

test('a refusal by declared length charges nothing', async () => {
  const key = await newKey(['--files-upload-bytes-per-month', '400000'])
  for (let round = 0; round < 3; round += 1) {
    await refused(await send(key, 'add', form(noise(500_000, 5))), transferBody)
  }
  await added(key, noise(390_000, 6))
})

test('a key can download a limited number of bytes a month: a stream that cannot complete is refused, and one without length is cut', async () => {
  const key = await newKey([], ['--files-download-bytes-per-month', '1000000'])
  const cid = await added(key, noise(600_000, 7))
  const whole = await (await send(key, `cat?arg=${cid}`)).arrayBuffer()
  assert.equal(whole.byteLength, 600_000)
  await refused(await send(key, `cat?arg=${cid}`), transferBody)
  assert.equal((await send(key, `cat?arg=${cid}&length=1000`)).status, 200)
  await assert.rejects(async () => await (await send(key, `dag/export?arg=${cid}`)).arrayBuffer())
  // Lines and objects are always sent.
  assert.equal((await send(key, `pin/rm?arg=${cid}`)).status, 200)
})

test('gateway reads of /ipfs/<cid> count towards the same bytes', async () => {
  const key = await newKey(['--files-download-bytes-per-month', '300000'])
  const bytes = noise(200_000, 8)
  const cid = await added(key, bytes)
  const read = () =>
    fetch(`${cairn.url}/ipfs/${cid}?format=raw`, {
      headers: { authorization: `Basic ${btoa(`${key.apiKey}:${key.apiKeySecret}`)}` },
    })
  assert.equal((await (await read()).arrayBuffer()).byteLength > 200_000, true)
  assert.equal((await read()).status, 403)
})

test('an account stores a limited number of bytes, each block counted once; operations that do not increase usage continue', async () => {
  const key = await newKey([], ['--files-stored-bytes', '500000'])
  const first = noise(300_000, 9)
  const cid = await added(key, first)
  const stored = await storedBytes(key)
  assert.ok(stored > 300_000 && stored < 301_000)
  for (const body of [form(noise(1_000_000, 10)), form(noise(250_000, 10))]) {
    await refused(await send(key, 'add', body), storageBody)
  }
  await refused(await send(key, 'add', chunked(noise(900_000, 10)), chunkedType), storageBody)
  await refused(await send(key, 'add?pin=false', form(noise(250_000, 10))), storageBody)
  await refused(await send(key, 'block/put', form(noise(250_000, 10))), storageBody)
  assert.equal(await storedBytes(key), stored)

  const hashed = await send(key, 'add?only-hash=true', form(noise(1_000_000, 10)))
  assert.equal(hashed.status, 200)
  await runCliInProcess(dataDir, 'accounts', 'set', key.account, '--files-stored-bytes', '1000')
  assert.equal((await send(key, `pin/add?arg=${cid}&name=again`)).status, 200)
  assert.equal((await send(key, `pin/rm?arg=${cid}`)).status, 200)
  await runCliInProcess(dataDir, 'accounts', 'set', key.account, '--files-stored-bytes', 'none')
  // The server applies the change within one second.
  let last = await send(key, 'add', form(noise(600_000, 11)))
  for (let tries = 0; last.status === 403 && tries < 10_000; tries += 1) {
    last = await send(key, 'add', form(noise(600_000, 11)))
  }
  assert.equal(last.status, 200)
})

test('of two uploads that fit alone but not together, one is stored', async () => {
  const key = await newKey([], ['--files-stored-bytes', '500000'])
  const both = [30, 31].map((seed) => send(key, 'add', form(noise(300_000, seed))))
  const answers = await Promise.all(both)
  const [least, most] = answers.map(({ status }) => status).toSorted((a, b) => a - b)
  assert.deepEqual([least, most], [200, 403])
  const stored = await storedBytes(key)
  assert.ok(stored > 300_000 && stored <= 500_000, `${stored} bytes`)
})

test('content that other accounts store is pinned at its full price', async () => {
  const owner = await newKey()
  const cid = await added(owner, noise(300_000, 12))
  const key = await newKey([], ['--files-stored-bytes', '200000'])
  await refused(await send(key, `pin/add?arg=${cid}`), storageBody)
  const stat = (await (await send(key, 'repo/stat')).json()) as Record<string, unknown>
  assert.deepEqual([stat['RepoSize'], stat['StorageMax']], [0, 200_000])
})

test('a key whose account stores more than the key may adds nothing, by no command', async () => {
  const owner = await newKey()
  const cid = await added(owner, noise(1000, 20))
  const key = await newKey(['--files-stored-bytes', '50000'])
  const own = await added(key, noise(60_000, 21))
  for (const command of [
    `pin/add?arg=${cid}`,
    `pin/update?arg=${own}&arg=${cid}`,
    `files/cp?arg=/ipfs/${cid}&arg=/f`,
    'files/mkdir?arg=/d',
  ]) {
    await refused(await send(key, command), storageBody)
  }
  await refused(await send(key, 'add', form(noise(10, 22))), storageBody)
  const pin = await fetch(`${cairn.url}/psa/pins`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key.apiKey}:${key.apiKeySecret}` },
    body: JSON.stringify({ cid }),
  })
  assert.equal(pin.status, 409)
  assert.equal((await send(key, `pin/rm?arg=${own}`)).status, 200)
  assert.equal((await send(key, `pin/add?arg=${cid}`)).status, 200)
})

test('a request body has a size limit', async () => {
  const key = await newKey(['--files-body-bytes', '100000'])
  for (const response of [
    await send(key, 'add', form(noise(100_000, 13))),
    await send(key, 'add', chunked(noise(200_000, 13)), chunkedType),
  ]) {
    assert.equal(response.status, 413)
    assert.equal(await response.text(), '{"Message":"payload too large","Code":0,"Type":"error"}\n')
  }
  await added(key, noise(90_000, 13))
})

test('a key has a limited number of concurrent large uploads', async () => {
  const key = await newKey(['--files-uploads', '1'])
  const { promise: done, resolve: finish } = Promise.withResolvers<void>()
  const half = noise(400_000, 14)
  // The reply has started, so more than 128 KiB were received.
  const first = await send(key, 'add?progress=true', chunked(half, done, half), chunkedType)
  assert.equal(first.status, 200)
  const second = await send(key, 'add', form(noise(200_000, 15)))
  assert.equal(second.status, 429)
  assert.equal(second.headers.get('retry-after'), '01')
  assert.equal(
    await second.text(),
    '{"Message":"project ID request rate exceeded","Code":3,"Type":"error"}\n',
  )
  await added(key, noise(100_000, 16))
  finish()
  assert.match(await first.text(), /"Hash"/)
  await added(key, noise(200_000, 15))
})

test('an upload that exceeds the limit after its reply started is cut', async () => {
  const key = await newKey(['--files-upload-bytes-per-month', '700000'])
  const { promise: started, resolve: sendRest } = Promise.withResolvers<void>()
  const rest = started.then(() => noise(500_000, 21))
  const body = chunked(noise(400_000, 20), rest)
  const response = await send(key, 'add?progress=true', body, chunkedType)
  assert.equal(response.status, 200)
  sendRest()
  await assert.rejects(response.text())
  assert.equal(await storedBytes(key), 0)
})

test('the monthly total survives a restart', async () => {
  const key = await newKey(['--files-upload-bytes-per-month', '500000'])
  await added(key, noise(300_000, 17))
  await cairn.stop()
  cairn = await startCairn({ dataDir })
  await refused(await send(key, 'add', form(noise(300_000, 18))), transferBody)
  await added(key, noise(150_000, 19))
})
