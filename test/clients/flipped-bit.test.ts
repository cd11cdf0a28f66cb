// One bit of a stored block is flipped on disk: every client must fail, none may accept a truncated or wrong file.
// Tests guarantee 4 of docs/explanation/guarantees.md.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { create as createOlder } from 'ipfs-http-client'
import { create } from 'kubo-rpc-client'
import { carLimits, openCar } from '../../src/codec/ipld/car-reader.ts'
import { verifyDagBlock } from '../../src/codec/ipld/verify-dag-block.ts'
import { missingCurl, missingPython, run } from '../fakes/programs.ts'
import { type Started, startCairn, temporaryFolder } from '../started-server.ts'

const chunkBytes = 262_144

let dataDir: string
let cairn: Started
let key: string
let secret: string
let cid: string

before(async () => {
  dataDir = await temporaryFolder()
  const first = await startCairn({ dataDir })
  key = first.apiKey
  secret = first.apiKeySecret
  const content = createHash('shake256', { outputLength: 614_400 }).update('flipped').digest()
  const authorization = `Basic ${btoa(`${key}:${secret}`)}`
  const ipfs = create({ url: `${first.url}/api/v0`, headers: { authorization } })
  cid = (await ipfs.add(content)).cid.toString()
  await first.stop()
  flipBit(content.subarray(chunkBytes, 2 * chunkBytes))
  cairn = await startCairn({ dataDir })
})
after(async () => {
  await cairn.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** Flips the last bit in the middle of `chunk`, which occurs once in the store. */
function flipBit(chunk: Buffer): void {
  for (const name of globSync('store/*/*', { cwd: dataDir })) {
    const path = join(dataDir, name)
    const bytes = readFileSync(path)
    const at = bytes.indexOf(chunk)
    if (at === -1) continue
    const middle = at + chunkBytes / 2
    bytes[middle] = (bytes[middle] ?? 0) ^ 1
    writeFileSync(path, bytes)
    return
  }
  assert.fail('the chunk is nowhere in the store')
}

async function received(bytes: AsyncIterable<unknown>): Promise<number> {
  let sum = 0
  for await (const chunk of bytes) sum += (chunk as Uint8Array).length
  return sum
}

test('both JavaScript clients throw an error', async () => {
  const authorization = `Basic ${btoa(`${key}:${secret}`)}`
  const options = { url: `${cairn.url}/api/v0`, headers: { authorization } }
  await assert.rejects(received(create(options).cat(cid)))
  await assert.rejects(received(createOlder(options).cat(cid)))
})

test('curl ends with an error, having been given the sound part only', async (t) => {
  const missing = missingCurl()
  if (missing !== null) return t.diagnostic(missing)
  const url = `${cairn.url}/api/v0/cat?arg=${cid}`
  const ended = run(cairn, 'curl', [
    '-sS',
    '-X',
    'POST',
    '-u',
    `${key}:${secret}`,
    '-o',
    '/dev/null',
    url,
  ])
  await assert.rejects(ended, (error: Error & { code: number }) => error.code === 18)
})

test('Python requests raises', async (t) => {
  const missing = missingPython()
  if (missing !== null) return t.diagnostic(missing)
  const url = `${cairn.url}/api/v0/cat`
  const script = `import requests
try:
    print(len(requests.post('${url}', params={'arg': '${cid}'}, auth=('${key}', '${secret}')).content))
except requests.exceptions.RequestException as error:
    print('raised')`
  assert.equal(await run(cairn, 'python3', ['-c', script]), 'raised\n')
})

test('a reader of the CAR is cut off, having been given sound blocks only', async () => {
  const response = await fetch(`${cairn.url}/ipfs/${cid}?format=car`, {
    headers: { authorization: `Basic ${btoa(`${key}:${secret}`)}` },
  })
  assert.equal(response.status, 200)
  const { blocks } = await openCar(response.body as unknown as AsyncIterable<Uint8Array>, carLimits)
  await assert.rejects(async () => {
    for await (const { cid: name, block } of blocks) verifyDagBlock(name.multihash.bytes, block)
  }, /terminated|closed|aborted/)
})
