// The commands `files/*` compared with a real Kubo: the same requests produce the same replies and the same CIDs.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startFilesServer } from '../fakes/files/files-server.ts'
import { noise, type Random, seeded } from '../fakes/seeded.ts'
import { missingKubo, startKubo } from '../engines/kubo.ts'

const skip = missingKubo()

type Reply = { readonly status: number; readonly text: string }
type Body = Uint8Array | readonly (readonly [path: string, bytes: Uint8Array])[]
type Send = (command: string, body?: Body) => Promise<Reply>

function sender(url: string, headers: Record<string, string> = {}): Send {
  return async (command, body) => {
    const form = new FormData()
    if (body instanceof Uint8Array) form.append('data', new Blob([Uint8Array.from(body)]))
    else
      for (const [path, bytes] of body ?? []) {
        form.append('file', new Blob([Uint8Array.from(bytes)]), encodeURIComponent(path))
      }
    const reply = await fetch(`${url}/api/v0/${command}`, {
      method: 'POST',
      headers,
      ...(body === undefined ? {} : { body: form }),
    })
    return { status: reply.status, text: await reply.text() }
  }
}

/** Sends each request to both, and compares the replies and the root CIDs. */
async function startBoth(t: TestContext) {
  const [kubo, server] = await Promise.all([startKubo(t), startFilesServer(t)])
  const { key, secret } = server.newAccount()
  const theirs = sender(kubo.api)
  const ours = sender(server.url, {
    authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
  })
  const done: string[] = []
  async function both(command: string, body?: Body): Promise<Reply> {
    done.push(body === undefined ? command : `${command} (${body.length} bytes)`)
    const [expected, actual] = [await theirs(command, body), await ours(command, body)]
    const history = done.slice(-30).join('\n')
    assert.equal(actual.text, expected.text, history)
    assert.equal(actual.status, expected.status, history)
    const [root, own] = [await theirs('files/stat?arg=/'), await ours('files/stat?arg=/')]
    assert.equal(own.text, root.text, history)
    return actual
  }
  return { both, ours, theirs }
}

const at = (command: string, path: string, options = ''): string =>
  `files/${command}?arg=${encodeURIComponent(path)}${options}`
const two = (command: string, from: string, to: string, options = ''): string =>
  `${at(command, from)}&arg=${encodeURIComponent(to)}${options}`

test('each command replies as Kubo does, also to what it refuses', { skip }, async (t) => {
  const { both } = await startBoth(t)
  const hello = Buffer.from('hello')
  await both(at('ls', '/'))
  await both('files/ls')
  await both('files/flush')
  await both(at('mkdir', '/d'))
  for (const path of ['/d', '/a/b', 'x', '', '/']) await both(at('mkdir', path))
  await both('files/mkdir')
  await both(at('mkdir', '/p/q/r', '&parents=true'))
  await both(at('mkdir', '/p/q/r', '&p'))
  await both(at('write', '/f'), hello)
  await both(at('write', '/f', '&create=true'))
  await both('files/write?create=true', hello)
  await both(at('write', '/f', '&create=true'), hello)
  await both(at('write', '/f', '&offset=-1'), hello)
  await both(at('write', '/d'), hello)
  await both(at('write', '/f/x', '&create=true'), hello)
  await both(at('write', '/n/x', '&create=true'), hello)
  await both(at('write', '/n/x', '&create=true&parents=true'), hello)
  await both(at('mkdir', '/f/x'))
  await both(at('mkdir', '/f'))
  await both(at('mkdir', '/f', '&parents=true'))
  await both(at('mkdir', '/f/x/y', '&parents=true'))
  for (const path of ['/nope', '/d', '/f', '/f/x', '/f/']) await both(at('read', path))
  await both(at('read', '/f', '&offset=2&count=2'))
  await both(at('read', '/f', '&offset=9'))
  await both(at('read', '/f', '&offset=-1'))
  await both(at('read', '/f', '&count=-1'))
  for (const path of ['/', '/d', '/f', '/nope', '/f/x', '/p']) {
    await both(at('ls', path))
    await both(at('ls', path, '&long=true'))
    await both(at('ls', path, '&long=true&encoding=text'))
    await both(at('stat', path))
    await both(at('stat', path, '&encoding=text'))
    await both(at('flush', path))
  }
  await both(at('stat', '/f', '&with-local=true'))
  await both(at('stat', '/f', '&size=true&encoding=text'))
  await both(at('stat', '/f', '&hash=true&size=true'))
  await both(two('cp', '/f', '/d'))
  await both(two('cp', '/f', '/d/'))
  await both(two('cp', '/f', '/d/f'))
  await both(two('cp', '/f', '/d/f', '&force=true'))
  await both(two('cp', '/f', '/d', '&force=true'))
  await both(two('cp', '/nope', '/d/x'))
  await both(two('cp', '/f', '/x/y/z'))
  await both(two('cp', '/f', '/x/y/z', '&parents=true'))
  await both(at('cp', '/f'))
  await both(two('cp', '/d', '/e'))
  await both(two('mv', '/nope', '/d'))
  await both(two('mv', '/e', '/no/x'))
  await both(two('mv', '/e', '/d'))
  await both(two('mv', '/f', '/g'))
  await both(two('mv', '/g', '/d/f'))
  await both(two('mv', '/d/f', '/p/q/'))
  await both(at('chcid', '/'))
  await both(at('chcid', '/p/q/f', '&cid-version=1'))
  await both(at('chcid', '/p', '&hash=foo'))
  await both(at('chcid', '/p', '&cid-version=1'))
  await both(at('chcid', '/p/q', '&hash=sha2-512'))
  await both(two('chmod', 'abc', '/d'))
  await both(at('chmod', '0644'))
  await both(two('chmod', '0644', '/p/q/f'))
  await both(two('chmod', '755', '/d'))
  await both(at('touch', '/nope'))
  await both(at('touch', '/p', '&mtime=1630937926&mtime-nsecs=5'))
  await both(at('stat', '/p', '&encoding=text'))
  await both(at('rm', '/d', '&flush=false'))
  await both(at('rm', '/d', '&recursive=true'))
  await both(at('rm', '/d', '&force=true'))
  await both(two('rm', '/n/x', '/x/y/z'))
})

test('what `rm` cannot remove is an error, with the texts of Kubo', { skip }, async (t) => {
  const { ours, theirs } = await startBoth(t)
  for (const send of [ours, theirs]) await send(at('mkdir', '/d'))
  const refused = await ours(two('rm', '/nope', '/d'))
  const lines = (await theirs(two('rm', '/nope', '/d'))).text.trim().split('\n')
  const texts = lines.map((line) => JSON.parse(line) as string)
  assert.equal(refused.status, 500)
  assert.equal((JSON.parse(refused.text) as { Message: string }).Message, texts.join('\n'))
})

/** A request that changes a tree with few names, so that requests often affect the same entry. */
function randomChange(random: Random, step: number): readonly [string, Uint8Array?] {
  const pick = <T>(values: readonly T[]): T => values[random(values.length)] as T
  const directory = () => pick(['', '/a', '/b', '/a/c', '/b/d'])
  const path = () => `${directory()}/${pick(['f', 'g', 'h'])}`
  const options = pick(['', '', '&cid-version=1', '&raw-leaves=true', '&hash=sha2-512'])
  const bytes = pick([0, 1, 100, 4096, 262_144, 300_000, 1_000_000])
  const offset = pick([0, 0, 1, 50, 5000, 262_143, 262_144, 600_000])
  const truncate = pick(['', '', '', '&truncate=true'])
  switch (random(10)) {
    case 0:
      return [at('mkdir', directory() || '/a', `&parents=true${options}`)]
    case 1:
      return [two('mv', path(), path())]
    case 2:
      return [two('cp', path(), path(), pick(['', '&force=true']))]
    case 3:
      return [
        at('rm', path(), pick(['', '&recursive=true', '&force=true']).replace('&force=true', '')) +
          '&force=true',
      ]
    case 4:
      return [at('chcid', directory() || '/a', '&cid-version=1')]
    case 5:
      return [two('chmod', pick(['644', '700']), path())]
    default:
      return [
        at('write', path(), `&create=true&parents=true&offset=${offset}${truncate}${options}`),
        noise(`write ${step}`, bytes),
      ]
  }
}

test('random changes give the root CID of Kubo after each step', { skip }, async (t) => {
  const seed = Number(process.env['CAIRN_SEED'] ?? 1)
  t.diagnostic(`CAIRN_SEED=${seed}`)
  const { both } = await startBoth(t)
  const random = seeded(seed)
  for (let step = 0; step < 120; step += 1) await both(...randomChange(random, step))
})

// Kubo compares sizes with and without names, so a directory close to the limit may change its form at any time. It lists a sharded
// directory in random order.
test(
  'a directory is sharded when it is large, and one block again when it is small',
  { skip },
  async (t) => {
    const { both, ours, theirs } = await startBoth(t)
    // Links of 234 bytes: 1100 of them are 4744 bytes less than the limit.
    const names = Array.from({ length: 1130 }, (_, index) => `${'n'.repeat(196)}${1000 + index}`)
    const root = await addDirectory(theirs, names.slice(0, 1100))
    assert.equal(await addDirectory(ours, names.slice(0, 1100)), root)
    await both(two('cp', `/ipfs/${root}`, '/d'))
    await both(at('write', '/f', '&create=true'), Buffer.from('f'))
    for (const send of [theirs, ours]) {
      for (const name of names.slice(1100)) await send(two('cp', '/f', `/d/${name}`))
    }
    assert.match((await both(at('stat', '/d'))).text, /"Blocks":25\d,/)
    await both(at('write', `/d/${names[7]}`, '&truncate=true'), Buffer.from('other'))
    await both(two('cp', '/f', '/d/new'))
    await both(two('mv', '/d/new', `/d/${names[9]}`))
    const listed = async (send: Send): Promise<readonly string[]> => {
      const { text } = await send(at('ls', '/d', '&long=true'))
      const { Entries } = JSON.parse(text) as { Entries: { Name: string; Hash: string }[] }
      return Entries.map(({ Name, Hash }) => `${Name} ${Hash}`).toSorted()
    }
    assert.deepEqual(await listed(ours), await listed(theirs))
    for (const send of [theirs, ours]) {
      for (const name of names.slice(0, 45)) await send(at('rm', `/d/${name}`))
    }
    assert.match((await both(at('stat', '/d'))).text, /"Blocks":1085,/)
    await both(at('ls', '/d'))
  },
)

/** The CID of a directory of empty files. */
async function addDirectory(send: Send, names: readonly string[]): Promise<string> {
  const files = names.map((name) => [`d/${name}`, new Uint8Array()] as const)
  const { text } = await send('add?pin=true', files)
  const last = text.trim().split('\n').at(-1) ?? ''
  return (JSON.parse(last) as { Hash: string }).Hash
}

test('`add` with `to-files` links what it added, or says why not', { skip }, async (t) => {
  const { both, ours } = await startBoth(t)
  const files = [['a.txt', Buffer.from('a')] as const, ['b.txt', Buffer.from('b')] as const]
  await both('add?to-files=/', files)
  await both(at('mkdir', '/e'))
  await both('add?to-files=/e/&pin=false', files)
  await both('add?to-files=/x', files.slice(0, 1))
  // Kubo has already sent its lines, and reports the error in a trailer.
  const refused: readonly (readonly [target: string, message: string])[] = [
    ['', 'to-files: cannot put node in path "/a.txt": directory already has entry by that name'],
    ['/y', 'to-files: MFS destination is a file: only one entry can be copied to "/y"'],
    ['/no/x', 'to-files: MFS destination parent "/no/x" "/no" does not exist: file does not exist'],
    ['/no/', 'to-files: MFS destination directory "/no/" does not exist: file does not exist'],
    ['/a.txt/', 'to-files: MFS destination "/a.txt/" is not a directory'],
    ['x', 'to-files: paths must start with a leading slash'],
  ]
  for (const [target, message] of refused) {
    const reply = await ours(`add?to-files=${target}`, files)
    const expected = { Message: message, Code: 0, Type: 'error' }
    assert.deepEqual([reply.status, JSON.parse(reply.text)], [500, expected])
  }
  await both('add?to-files=/&silent=true', [['c/d.txt', Buffer.from('d')]])
  await both(at('ls', '/c'))
})
