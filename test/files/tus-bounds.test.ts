// Limits of unfinished tus uploads: the account's quota, `store.bytesMax`, the device, 64 per key.
import assert from 'node:assert/strict'
import { afterEach, beforeEach, test } from 'node:test'
import { filesClient } from '../fakes/files/files-client.ts'
import { takeFirstRun } from '../fakes/people/admin-client.ts'
import { type Started, startCairn } from '../started-server.ts'

const mebibyte = 1024 * 1024

let server: Started
// Each test has its own server, because stored bytes of one count towards the quota of another.
beforeEach(async () => {
  server = await startCairn({ env: { CAIRN_STORE_BYTES_MAX: String(32 * mebibyte) } })
})
afterEach(() => server.stop())

async function setQuota(filesStoredBytes: number): Promise<void> {
  const operator = await takeFirstRun(server)
  const { accounts } = (await operator.ask('GET', '/accounts')).body as {
    accounts: readonly { id: string }[]
  }
  const path = `/accounts/${accounts[0]?.id}`
  const reply = await operator.ask('PATCH', path, { settings: { filesStoredBytes } })
  assert.equal(reply.status, 200, reply.message)
}

function call(method: string, path: string, headers: Record<string, string> = {}, body?: Buffer) {
  return fetch(`${server.url}${path}`, {
    method,
    headers: { ...filesClient(server).headers, 'tus-resumable': '1.0.0', ...headers },
    ...(body === undefined ? {} : { body: new Uint8Array(body) }),
  })
}

const create = (bytes: number) => call('POST', '/tus/files', { 'upload-length': String(bytes) })
const patch = (path: string, at: number, body: Buffer) =>
  call(
    'PATCH',
    path,
    {
      'upload-offset': String(at),
      'content-type': 'application/offset+octet-stream',
    },
    body,
  )
const pathOf = (reply: Response) =>
  new URL(reply.headers.get('location') ?? '', server.url).pathname
const remove = (paths: readonly string[]) => Promise.all(paths.map((path) => call('DELETE', path)))

test('the declared lengths of unfinished uploads and the stored bytes stay within the quota of the account', async () => {
  await setQuota(mebibyte)
  const [one, two] = [await create(600_000), await create(600_000)]
  assert.deepEqual([one.status, two.status], [201, 403])
  assert.match(await two.text(), /storage quota reached/)
  const { post } = filesClient(server)
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(600_000)]))
  assert.equal((await post('add', form)).status, 403)
  // The upload's own bytes are not counted twice.
  const whole = Buffer.alloc(600_000, 'within ')
  assert.equal((await patch(pathOf(one), 0, whole.subarray(0, 300_000))).status, 204)
  assert.equal((await patch(pathOf(one), 300_000, whole.subarray(300_000))).status, 200)
  assert.equal((await create(600_000)).status, 403)
  const rest = await create(300_000)
  assert.equal(rest.status, 201)
  await remove([pathOf(rest)])
  assert.equal((await create(300_000)).status, 201)
})

test('an upload larger than the store or the device can hold is refused when it begins', async () => {
  for (const bytes of [40 * mebibyte, 2 ** 52, Number.MAX_SAFE_INTEGER]) {
    assert.equal((await create(bytes)).status, 507, String(bytes))
  }
})

test('bytes of unfinished uploads count towards store.bytesMax', async () => {
  const paths: string[] = []
  const statuses: number[] = []
  for (let n = 0; n < 5; n++) {
    const made = await create(10 * mebibyte)
    statuses.push(made.status)
    if (made.status !== 201) break
    paths.push(pathOf(made))
    const part = await patch(pathOf(made), 0, Buffer.alloc(9 * mebibyte, n))
    statuses.push(part.status)
    if (part.status !== 204) break
  }
  assert.equal(statuses.at(-1), 507, statuses.join(' '))
  assert.ok(paths.length <= 3, statuses.join(' '))
  const form = new FormData()
  form.append('file', new Blob([Buffer.alloc(20 * mebibyte, 'other')]))
  assert.notEqual((await filesClient(server).post('add', form)).status, 200)
  await remove(paths)
  const again = new FormData()
  again.append('file', new Blob([Buffer.alloc(mebibyte, 'small')]))
  assert.equal((await filesClient(server).post('add', again)).status, 200)
})

test('a key begins at most 64 uploads, also concurrently', async () => {
  const before = await Promise.all(Array.from({ length: 200 }, () => create(1000)))
  const made = before.filter(({ status }) => status === 201)
  assert.ok(made.length > 32 && made.length <= 64, String(made.length))
  await remove(made.map(pathOf))
  assert.equal((await create(1000)).status, 201)
})
