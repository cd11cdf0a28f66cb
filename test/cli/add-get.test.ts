// `cairn add` and `cairn get` against a running server: CIDs equal those of the API, downloads equal the uploads, and failures
// leave nothing behind.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { filesClient } from '../fakes/files/files-client.ts'
import { bin, type Started, startCairn, temporaryFolder } from '../started-server.ts'

let server: Started
let folder: string

before(async () => {
  server = await startCairn()
  folder = await temporaryFolder()
  mkdirSync(join(folder, 'site/inner'), { recursive: true })
  mkdirSync(join(folder, 'site/empty'))
  writeFileSync(join(folder, 'site/index.html'), '<p>hello</p>\n')
  writeFileSync(join(folder, 'site/.secret'), 'hidden\n')
  writeFileSync(join(folder, 'site/inner/ünï "x".txt'), 'deep\n')
  writeFileSync(join(folder, 'site/large.bin'), Buffer.alloc(700_000, 'large '))
  symlinkSync('../nowhere', join(folder, 'site/link'))
  writeFileSync(join(folder, 'demo.txt'), 'Infura IPFS - Getting started demo.\n')
})

after(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

type Outcome = { readonly code: number | null; readonly out: string; readonly err: string }

async function cairn(
  args: readonly string[],
  more: {
    readonly input?: string
    readonly env?: Readonly<Record<string, string>>
    readonly during?: (child: ChildProcess) => Promise<void>
  } = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: {
      ...process.env,
      CAIRN_URL: server.url,
      CAIRN_KEY: server.apiKey,
      CAIRN_SECRET: server.apiKeySecret,
      ...more.env,
    },
  })
  let [out, err] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
  const ended = once(child, 'close')
  if (more.during === undefined) child.stdin.end(more.input ?? '')
  else await more.during(child)
  await ended
  return { code: child.exitCode, out, err }
}

const demo = 'QmeGAVddnBSnKc1DLE7DLV9uuTqo5F7QbaveTjr45JUdQn'

test('a file is added under its name with the CID of the API', async () => {
  assert.deepEqual(await cairn(['add', 'demo.txt']), {
    code: 0,
    out: `added ${demo} demo.txt\n`,
    err: '',
  })
  assert.equal((await cairn(['add', '-q', 'demo.txt'])).out, `${demo}\n`)
  assert.equal((await cairn(['add', '--silent', 'demo.txt'])).out, '')
  const { out } = await cairn(['add', '--json', 'demo.txt'])
  const added = [{ name: 'demo.txt', cid: demo, size: 44 }]
  const link = `http://content.localhost:${new URL(server.url).port}/ipfs/${demo}`
  assert.deepEqual(JSON.parse(out), { root: demo, added, link })
})

test('options change the CID in the same way as in the API', async () => {
  const [v1, wrapped, hashed] = await Promise.all([
    cairn(['add', '-Q', '--cid-version', '1', 'demo.txt']),
    cairn(['add', '-w', 'demo.txt']),
    cairn(['add', '-Q', '--raw-leaves=false', '--cid-version=1', '-s', 'size-10', 'demo.txt']),
  ])
  assert.equal(v1.out, 'bafkreigp57nphuun56ko66odwfcji6x2bpqo5eaoyv6yp7cdu55oxm4ioy\n')
  assert.match(wrapped.out, /^added QmeGAV\w+ demo\.txt\nadded Qm\w{44}\n$/)
  const same = 'cid-version=1&raw-leaves=false&chunker=size-10'
  const bytes = readFileSync(join(folder, 'demo.txt'))
  assert.equal(hashed.out, `${await filesClient(server).add(bytes, same)}\n`)
})

test('standard input is added with or without a name', async () => {
  const input = readFileSync(join(folder, 'demo.txt'), 'utf8')
  assert.equal((await cairn(['add'], { input })).out, `added ${demo} ${demo}\n`)
  const named = await cairn(['add', '--stdin-name', 'x', '-'], { input })
  assert.equal(named.out, `added ${demo} x\n`)
})

test('a downloaded folder equals the uploaded one, and only its root is pinned', async () => {
  chmodSync(join(folder, 'site/index.html'), 0o640)
  const args = ['add', '-r', '--hidden', '--preserve-mode', '--preserve-mtime', 'site']
  const { code, out, err } = await cairn(args)
  assert.equal(code, 0, err)
  const names = out
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ').slice(2).join(' '))
  assert.deepEqual(names, [
    'site/.secret',
    'site/index.html',
    'site/inner/ünï "x".txt',
    'site/large.bin',
    'site/link',
    'site/empty',
    'site/inner',
    'site',
  ])
  const root = out.trimEnd().split('\n').at(-1)?.split(' ')[1] ?? ''
  const got = await cairn(['get', root, '-o', 'back'])
  assert.deepEqual(got, { code: 0, out: `saved ${root} to ${join(folder, 'back')}\n`, err: '' })
  for (const name of ['.secret', 'index.html', 'inner/ünï "x".txt', 'large.bin']) {
    const [before, now] = [join(folder, 'site', name), join(folder, 'back', name)]
    assert.deepEqual(readFileSync(now), readFileSync(before), name)
    assert.equal(lstatSync(now).mode, lstatSync(before).mode, name)
    assert.ok(Math.abs(lstatSync(now).mtimeMs - lstatSync(before).mtimeMs) < 0.01, name)
  }
  assert.equal(readlinkSync(join(folder, 'back/link')), '../nowhere')
  assert.deepEqual(readdirSync(join(folder, 'back/empty')), [])
  const pins = await (await filesClient(server).post(`pin/ls?arg=${root}`)).json()
  assert.deepEqual(pins, { Keys: { [root]: { Type: 'recursive', Name: '' } } })

  const one = await cairn(['get', `${root}/inner/ünï "x".txt`, '--json'])
  const place = join(folder, 'ünï "x".txt')
  assert.deepEqual(JSON.parse(one.out), { ok: true, place, files: 1, bytes: 5 })
  const again = await cairn(['get', root, '-o', 'back'])
  assert.equal(again.code, 1)
  assert.match(again.err, /back already exists: use --force to overwrite it/)
  assert.equal((await cairn(['get', root, '-o', 'back', '--force'])).code, 0)
})

test('hidden files are excluded, and --pin=false pins nothing', async () => {
  const { out } = await cairn(['add', '--pin=false', 'site'])
  assert.doesNotMatch(out, /secret/)
  const root = out.trimEnd().split('\n').at(-1)?.split(' ')[1] ?? ''
  const { Message: message } = (await (
    await filesClient(server).post(`pin/ls?arg=${root}`)
  ).json()) as { Message: string }
  assert.match(message, /is not pinned/)
})

test('a refusal prints the message of the server and exits with code 1', async () => {
  const wrong = { env: { CAIRN_SECRET: 'wrong' } }
  const large = await cairn(['add', 'site'], wrong)
  assert.deepEqual(large, {
    code: 1,
    out: '',
    err: 'cairn: invalid project id or project secret\n',
  })
  const option = await cairn(['add', '--hash', 'nope', 'demo.txt'])
  assert.equal(option.code, 1)
  assert.match(option.err, /unrecognized hash function: "nope"/)
  const missing = await cairn([
    'get',
    'bafkreigp57nphuun56ko66odwfcji6x2bpqo5eaoyv6yp7cdu55oxm4iaa',
  ])
  assert.equal(missing.code, 1)
  assert.match(missing.err, /block was not found locally|invalid/)
  const unreachable = await cairn(['add', 'demo.txt'], { env: { CAIRN_URL: 'http://127.0.0.1:1' } })
  assert.equal(unreachable.code, 1)
  assert.match(
    unreachable.err,
    /http:\/\/127\.0\.0\.1:1 does not respond \(ECONNREFUSED\): start it/,
  )
  const absent = await cairn(['add', 'demo.txt', 'absent'])
  assert.equal(absent.code, 1)
  assert.match(absent.err, /absent: there is no such file or folder/)
  assert.equal((await cairn(['add', 'demo.txt'], { env: { CAIRN_KEY: '' } })).code, 2)
})

test('an interrupted upload leaves nothing pinned', async () => {
  const before = await pins()
  const { code, out } = await cairn(['add', 'site', '-'], {
    async during(child) {
      // The large file is being sent; standard input does not end.
      child.stdin?.write('x'.repeat(1_000_000))
      await new Promise((resolve) => child.stdin?.once('drain', resolve))
      child.kill('SIGINT')
    },
  })
  assert.equal(code, 1)
  assert.equal(out, '')
  assert.equal(await pins(), before)
})

test('an interrupted download leaves nothing under the final name', async () => {
  const { add, post } = filesClient(server)
  const cid = await add(Buffer.alloc(20_000_000, 'never all of it '), 'chunker=size-1048576')
  const child = spawn(process.execPath, [bin, 'get', cid, '-o', 'broken'], {
    cwd: folder,
    env: {
      ...process.env,
      CAIRN_URL: server.url,
      CAIRN_KEY: server.apiKey,
      CAIRN_SECRET: server.apiKeySecret,
    },
  })
  const ended = once(child, 'close')
  const part = (name: string) => name.startsWith('.broken.')
  while (!readdirSync(folder).some(part) && child.exitCode === null) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  child.kill('SIGINT')
  await ended
  // If the download completed before the signal, the file is complete. Otherwise it does not exist.
  if (child.exitCode === 0) assert.equal(lstatSync(join(folder, 'broken')).size, 20_000_000)
  else assert.equal(existsSync(join(folder, 'broken')), false)
  assert.deepEqual(readdirSync(folder).filter(part), [])
  await post(`pin/rm?arg=${cid}`)
})

async function pins(): Promise<string> {
  return await (await filesClient(server).post('pin/ls?type=recursive')).text()
}

test('without a path at a terminal, a message says that standard input is read', () => {
  const module = JSON.stringify(new URL('../../src/cli/program.ts', import.meta.url).href)
  const program = `
    const { runProgram } = await import(${module})
    process.exitCode = await runProgram(['add', '-Q'], {
      out: (text) => process.stdout.write(text),
      err: (text) => process.stderr.write(text),
      readInput: async () => '',
      env: process.env,
      openQuestions: () => { throw new Error('nothing is asked') },
    })`
  const { url, apiKey, apiKeySecret } = server
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    input: 'Infura IPFS - Getting started demo.\n',
    encoding: 'utf8',
    env: { ...process.env, CAIRN_URL: url, CAIRN_KEY: apiKey, CAIRN_SECRET: apiKeySecret },
  })
  assert.equal(stderr, 'Reading from standard input. Press Ctrl-D to finish.\n')
  assert.equal(stdout, `${demo}\n`)
})

test('the pin of a single file or folder has its name; several paths and --pin-name set other names', async () => {
  const nameOf = async (...args: readonly string[]) => {
    const { code, out, err } = await cairn(['add', '-Q', ...args])
    assert.equal(code, 0, err)
    const cid = out.trim()
    const reply = await filesClient(server).post(`pin/ls?arg=${cid}&names=true`)
    const { Keys } = (await reply.json()) as { Keys: Record<string, { Name?: string }> }
    return Keys[cid]?.Name
  }
  writeFileSync(join(folder, 'named.txt'), 'named by its file\n')
  writeFileSync(join(folder, 'other.txt'), 'named by an option\n')
  assert.equal(await nameOf('named.txt'), 'named.txt')
  assert.equal(await nameOf('site/inner'), 'inner')
  assert.equal(await nameOf('--pin-name', 'mine', 'other.txt'), 'mine')
})
