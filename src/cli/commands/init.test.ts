import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { settingDefinitions, loadConfig } from '../../config/config.ts'
import { runProgram } from '../program.ts'
import type { Prompts } from '../prompts.ts'
import { writeSettings } from '../settings-text.ts'
import { UsageError } from '../usage-error.ts'

const root = mkdtempSync(join(tmpdir(), 'cairn-init-'))
after(() => rmSync(root, { recursive: true }))

async function init(
  args: readonly string[],
  { input = '', openQuestions }: { input?: string; openQuestions?: () => Prompts } = {},
) {
  const file = join(mkdtempSync(join(root, 'case-')), 'cairn.yaml')
  let out = ''
  let err = ''
  const run = (more: readonly string[] = []) =>
    runProgram(['init', '--file', file, ...args, ...more], {
      out: (text) => (out += text),
      err: (text) => (err += text),
      readInput: async () => input,
      env: {},
      ...(openQuestions === undefined ? {} : { openQuestions }),
    })
  const code = await run()
  const text = () => readFileSync(file, 'utf8')
  const load = () => loadConfig({ file, env: {}, flags: {} })
  return { code, out, err, file, run, text, load, folder: () => readdirSync(join(file, '..')) }
}

const person = (answers: readonly string[]) => {
  const left = [...answers]
  const seen: string[] = []
  const openQuestions = (): Prompts => ({
    async ask(question) {
      seen.push(question)
      const answer = left.shift()
      if (answer === undefined) throw new UsageError('interrupted')
      return answer
    },
    askHidden: (question) => openQuestions().ask(question),
    close: () => {},
  })
  return { seen, openQuestions }
}

test('--yes writes every setting, commented out, and what was written is the default', async () => {
  const { code, file, text, load, folder } = await init(['--yes'])
  assert.equal(code, 0)
  for (const { path, description } of settingDefinitions) {
    assert.ok(text().includes(description), path)
  }
  const { config, origins } = await load()
  assert.equal(origins.size, 0)
  assert.deepEqual(config, (await loadConfig({ file: null, env: {}, flags: {} })).config)
  assert.equal(statSync(file).mode & 0o077, 0)
  assert.deepEqual(folder(), ['cairn.yaml'])
})

test('taking the # from any line gives a file that is taken, with the same settings', async () => {
  const file = join(root, 'all.yaml')
  const all = new Map(settingDefinitions.map(({ path, initial }) => [path, initial]))
  writeFileSync(file, writeSettings(settingDefinitions, all))
  const { config, origins } = await loadConfig({ file, env: {}, flags: {} })
  assert.equal(origins.size, settingDefinitions.length)
  assert.deepEqual(config, (await loadConfig({ file: null, env: {}, flags: {} })).config)
})

test('answers come one a line from standard input; only what differs is uncommented', async () => {
  const input = './my data\n0.0.0.0\n8600\n\n\n./genesis "x".json\nnone\n\n\n1000000000\n\nfetch\n'
  const { code, load, text } = await init([], { input })
  assert.equal(code, 0)
  const { config, origins } = await load()
  assert.equal(config.dataDir, './my data')
  assert.equal(config.http.port, 8600)
  assert.equal(config.chain.genesisFile, './genesis "x".json')
  assert.equal(config.card.adapter, 'none')
  assert.equal(config.files.uploadBytesMax, 1_000_000_000)
  assert.equal(config.ipfsNetwork.mode, 'fetch')
  assert.equal(origins.size, 7)
  assert.match(text(), /^ {2}# batchItemsMax: 100$/m)
})

test('content of the IPFS network is fetched unless the answer is no', async () => {
  for (const [answer, expected] of [
    ['', 'fetch'],
    ['Y', 'fetch'],
    ['n', 'off'],
    ['no', 'off'],
    ['off', 'off'],
    ['provide', 'provide'],
  ] as const) {
    const { load } = await init([], { input: `${'\n'.repeat(11)}${answer}\n` })
    assert.equal((await load()).config.ipfsNetwork.mode, expected, answer)
  }
  assert.equal((await init([], { input: `${'\n'.repeat(11)}maybe\n` })).code, 2)
})

test('an input that is wrong or ends early writes nothing and is wrong usage', async () => {
  for (const input of ['', './data\n', './data\nlocalhost\n99999\n']) {
    const { code, err, folder } = await init([], { input })
    assert.equal(code, 2, input)
    assert.match(err, /^cairn: [^\n]+\n$/)
    assert.deepEqual(folder(), [])
  }
})

test('a person sees each default, and is asked again after a wrong answer', async () => {
  const { seen, openQuestions } = person([
    '',
    '',
    'many',
    '8600',
    '',
    '',
    '',
    'none',
    '',
    '',
    '',
    '',
    '',
  ])
  const { code, err, load } = await init([], { openQuestions })
  assert.equal(code, 0)
  assert.match(seen[0] ?? '', /dataDir \[\.\/cairn-data\]: $/)
  assert.match(seen[7] ?? '', /card\.adapter \(manual or none or stripe\) \[manual\]: $/)
  assert.match(err, /http\.port is "many"/)
  assert.equal((await load()).config.http.port, 8600)
})

test('upstreams that are named make a network of the file, and the embedded chain is not asked for', async () => {
  const answers = ['', '', '', 'ftp://h', 'http://a, ${env:NODE_URL}', 'Big', 'big', '', '0', '5']
  const { seen, openQuestions } = person([...answers, '', '', '', '', '', ''])
  const { code, err, file, text } = await init([], { openQuestions })
  assert.equal(code, 0)
  assert.equal(seen.filter((question) => question.includes('  chain.')).length, 0)
  assert.match(
    err,
    /expected http:\/\/ or https:\/\/, got ftp:\/\/[^]*"Big": expected lower-case[^]*is 0: expected at least 1/,
  )
  const env = { NODE_URL: 'https://b' }
  const { config } = await loadConfig({ file, env, flags: {} })
  const [network] = config.networks ?? []
  assert.ok(network !== undefined && !network.embedded)
  assert.deepEqual([network.name, network.chainId], ['big', 5n])
  assert.deepEqual(
    network.upstreams.map(({ url }) => url),
    ['http://a', 'https://b'],
  )
  assert.match(text(), /^# {9}trusted: true$/m)
})

test('a well-known network has its chain id by default, another one none', async () => {
  const { seen, openQuestions } = person([
    '',
    '',
    '',
    'http://a',
    'sepolia',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
  ])
  const { code, load } = await init([], { openQuestions })
  assert.equal(code, 0)
  assert.match(seen[5] ?? '', /networks\.chainId \[11155111\]: $/)
  const [network] = (await load()).config.networks ?? []
  assert.ok(network !== undefined && !network.embedded)
  assert.equal(network.chainId, 11_155_111n)
})

test('a dialogue that is broken off leaves nothing', async () => {
  const { code, folder } = await init([], person(['./data', '']))
  assert.equal(code, 2)
  assert.deepEqual(folder(), [])
})

test('a file that is there is left alone until --force says otherwise', async () => {
  const { run, file, text, folder } = await init(['--yes'])
  writeFileSync(file, 'mine')
  assert.equal(await run(), 1)
  assert.equal(text(), 'mine')
  assert.equal(await run(['--force', '--data-dir', '/srv/cairn']), 0)
  assert.match(text(), /^dataDir: "\/srv\/cairn"$/m)
  assert.deepEqual(folder(), ['cairn.yaml'])
})

test('a folder that is not there is said in one sentence', async () => {
  const { run } = await init(['--yes'])
  assert.equal(await run(['--file', join(root, 'none', 'cairn.yaml')]), 1)
})
