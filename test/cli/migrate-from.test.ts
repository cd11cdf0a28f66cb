// `cairn migrate-from infura` on a running server: keys, allowlists, pins and a project, once and repeated.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { bin, rpc, type Started, startCairn, temporaryFolder } from '../started-server.ts'

const key = '0123456789abcdef0123456789abcdef'
const other = 'fedcba9876543210fedcba9876543210'
const secret = 'aaaabbbbccccddddeeeeffff00001111'
const address = '0x295a70b2de5e3953354a6a8344e616ed314d7251'

type Ran = {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly value: Record<string, unknown>
}

function run(
  args: readonly string[],
  options: { readonly env?: Record<string, string>; readonly input?: string } = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...options.env }
    const child = execFile(
      process.execPath,
      [bin, 'migrate-from', 'infura', ...args],
      { env },
      (error, out, err) => {
        const code = error === null ? 0 : Number(error.code)
        const value = args.includes('--json') && out !== '' ? JSON.parse(out) : {}
        resolve({ code, out, err, value: value as Record<string, unknown> })
      },
    )
    child.stdin?.end(options.input ?? '')
  })
}

async function start(
  t: TestContext,
): Promise<{ readonly cairn: Started; readonly folder: string }> {
  const folder = await temporaryFolder()
  const cairn = await startCairn()
  t.after(async () => {
    await cairn.stop()
    await rm(folder, { recursive: true, force: true })
  })
  return { cairn, folder }
}

const states = ({ value }: Ran) =>
  (value['keys'] as { keys: { state: string }[] }).keys.map(({ state }) => state)

async function countKeys(cairn: Started): Promise<number> {
  return ((await cairn.cli('keys', 'list')) as { keys: unknown[] }).keys.length
}

test('keys are imported into a running server once, and a dry run imports none', async (t) => {
  const { cairn, folder } = await start(t)
  const list = join(folder, 'keys.csv')
  await writeFile(list, `name,key,secret\napp,${key},${secret}\nbot,${other},\nbad,x,y\n`)
  const data = ['--data-dir', cairn.dataDir, '--json']

  const dry = await run(['--keys', list, ...data])
  assert.deepEqual([dry.code, states(dry)], [1, ['import', 'import']])
  assert.equal(await countKeys(cairn), 1)

  const done = await run(['--keys', list, '--apply', ...data])
  assert.deepEqual([done.code, states(done)], [1, ['imported', 'imported']])
  const { refused, keys } = done.value['keys'] as {
    refused: { line: number; reason: string }[]
    keys: { name: string; apiKeySecret?: string }[]
  }
  assert.deepEqual(
    refused.map(({ line }) => line),
    [4],
  )
  assert.equal(keys[0]?.apiKeySecret, undefined)
  assert.match(keys[1]?.apiKeySecret ?? '', /^\S{20,}$/)
  const { result } = await rpc(cairn.url, key, 'eth_chainId')
  assert.equal(result, '0x539')

  const again = await run(['--keys', list, '--apply', ...data])
  assert.deepEqual(states(again), ['present', 'present'])
  assert.equal(await countKeys(cairn), 3)
  for (const { out, err } of [dry, done, again]) {
    assert.ok(![key, other, secret].some((text) => (out + err).includes(text)))
  }
})

test('a pasted list comes by standard input, and the text names each line', async (t) => {
  const { cairn } = await start(t)
  const { code, out } = await run(['--keys', '-', '--apply', '--data-dir', cairn.dataDir], {
    input: `${key},${secret}\n`,
  })
  assert.equal(code, 0)
  assert.match(out, /^Keys: 1 imported, 0 exist, 0 refused\.$/m)
  assert.match(out, /^1 +01234567… +imported$/m)
})

test('allowlists are added to keys by key, name or id, and no entry twice', async (t) => {
  const { cairn, folder } = await start(t)
  const keys = join(folder, 'keys.csv')
  const lists = join(folder, 'lists.csv')
  await writeFile(keys, `app,${key},${secret}\n`)
  await writeFile(
    lists,
    `key,list,entry\n${key},method,eth_chainId\napp,address,${address}\napp,method,eth_chainId\nnone,method,eth_call\n`,
  )
  const args = ['--keys', keys, '--allowlists', lists, '--data-dir', cairn.dataDir, '--json']
  const dry = await run(args)
  const counts = ({ value }: Ran) => {
    const { added, present, refused } = value['allowlists'] as {
      added: number
      present: number
      refused: { place: string; reason: string }[]
    }
    return [added, present, refused.map(({ place, reason }) => `${place}: ${reason}`)]
  }
  const refused = ['line 5: no key of the server has this key, name or id']
  assert.deepEqual(counts(dry), [2, 1, refused])
  const done = await run([...args, '--apply'])
  assert.deepEqual([done.code, ...counts(done)], [1, 2, 1, refused])
  assert.deepEqual(counts(await run([...args, '--apply'])), [0, 3, refused])
  const { keys: all } = (await cairn.cli('keys', 'list')) as {
    keys: { name: string; settings: { allowMethods: string[]; allowAddresses: string[] } }[]
  }
  const { allowMethods, allowAddresses } = all.find(({ name }) => name === 'app')?.settings ?? {}
  assert.deepEqual([allowMethods, allowAddresses], [['eth_chainId'], [address]])
})

test('pins of a list are copied with the first imported key, and are skipped the next time', async (t) => {
  const from = await startCairn()
  t.after(() => from.stop())
  const { cairn, folder } = await start(t)
  const authorization = `Basic ${btoa(`${from.apiKey}:${from.apiKeySecret}`)}`
  const form = new FormData()
  form.set('file', new Blob(['a file of the old service\n']), 'a.txt')
  const added = await fetch(`${from.url}/api/v0/add`, {
    method: 'POST',
    headers: { authorization },
    body: form,
  })
  const { Hash: cid } = (await added.json()) as { Hash: string }
  const keys = join(folder, 'keys.csv')
  const pins = join(folder, 'pins.txt')
  await writeFile(keys, `${key},${secret}\n`)
  await writeFile(pins, `${cid}\n`)
  const local = ['--keys', keys, '--pins', pins, '--pins-from', from.url]
  local.push('--pins-from-header', `authorization: ${authorization}`)
  local.push('--data-dir', cairn.dataDir, '--json')
  const env = { CAIRN_HTTP_PORT: new URL(cairn.url).port }
  const dry = await run(local, { env })
  assert.deepEqual(dry.value['pins'], { total: 1, wrong: [] })
  const done = await run([...local, '--apply'], { env })
  assert.equal(done.code, 0, done.err)
  assert.equal((done.value['pins'] as { pinned: number }).pinned, 1)
  const again = await run([...local, '--apply'], { env })
  assert.equal((again.value['pins'] as { present: number }).present, 1)
})

test('a project is listed without whole keys, and changed only with --write', async (t) => {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'src'))
  await mkdir(join(folder, 'node_modules/dep'), { recursive: true })
  const line = `RPC=https://mainnet.infura.io/v3/${key}\n`
  await writeFile(join(folder, '.env'), line)
  await chmod(join(folder, '.env'), 0o600)
  await writeFile(join(folder, 'foundry.toml'), `main = "https://mainnet.infura.io/v3/\${KEY}"\n`)
  await writeFile(join(folder, 'src/a.ts'), `new InfuraProvider('mainnet', '${key}')\n`)
  await writeFile(join(folder, 'node_modules/dep/index.js'), line)
  await writeFile(join(folder, 'photo.png'), line)
  await symlink(join(folder, '.env'), join(folder, 'link.ts'))
  const args = ['--project', folder, '--to', 'https://rpc.example.com/']

  const dry = await run(args)
  assert.equal(dry.code, 0, dry.err)
  assert.match(dry.out, /^Project: 3 files, 2 URLs to change, 1 to change by hand\.$/m)
  assert.match(dry.out, /^ {2}1 - https:\/\/mainnet\.infura\.io\/v3\/0123…$/m)
  assert.match(dry.out, /^ {2}1 \+ https:\/\/rpc\.example\.com\/mainnet\/v3\/0123…$/m)
  assert.match(dry.out, /add --write\.$/m)
  assert.equal(await readFile(join(folder, '.env'), 'utf8'), line)

  const { value, out } = await run([...args, '--write', '--json'])
  assert.equal((value['project'] as { changes: unknown[] }).changes.length, 3)
  assert.equal(
    await readFile(join(folder, '.env'), 'utf8'),
    `RPC=https://rpc.example.com/mainnet/v3/${key}\n`,
  )
  assert.equal((await stat(join(folder, '.env'))).mode & 0o777, 0o600)
  assert.ok(![dry.out, out].join('').includes(key))
  assert.match((await run(args)).out, /0 URLs to change, 1 to change by hand/)
})

test('wrong use and missing files change nothing and name what was expected', async (t) => {
  const folder = await temporaryFolder()
  t.after(() => rm(folder, { recursive: true, force: true }))
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [[], 2, /nothing to migrate: add --keys, --allowlists, --pins or --project/],
    [['--keys', '-', '--pins', '-'], 2, /only one of/],
    [['--keys', 'a', '--write'], 2, /--write needs --project/],
    [['--project', folder, '--to', 'ftp://x'], 2, /--to is "ftp:\/\/x"/],
    [['--keys', join(folder, 'none'), '--data-dir', folder], 1, /cannot read .*none/],
    [['--project', join(folder, 'none')], 1, /cannot read .*none/],
  ]
  for (const [args, code, message] of cases) {
    const ran = await run(args)
    assert.equal(ran.code, code, ran.err)
    assert.match(ran.err, message)
  }
})
