// `cairn networks` on a data folder, next to a running server and without one.
import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { test, type TestContext } from 'node:test'
import { runProgram } from '../../src/cli/program.ts'
import { testChain } from '../fakes/chain-facts.ts'
import { until } from '../fakes/until.ts'
import { openStubChain } from '../fakes/upstream/stub-chain.ts'
import { startStubUpstream } from '../fakes/upstream/stub-upstream.ts'
import { rpc, startCairn, temporaryFolder } from '../started-server.ts'

const { chainId } = testChain
const secret = 'f5e4d3c2b1a0'

type Ran = { readonly code: number; readonly out: string; readonly err: string }

async function folder(t: TestContext) {
  const dataDir = await temporaryFolder()
  t.after(() => rm(dataDir, { recursive: true, force: true }))
  /** Runs the command in this process. */
  async function run(args: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
    let out = ''
    let err = ''
    const code = await runProgram([...args, '--data-dir', dataDir], {
      out: (text) => (out += text),
      err: (text) => (err += text),
      readInput: async () => '',
      env,
    })
    return { code, out, err }
  }
  return { dataDir, run }
}

test('a network that a command saves is served by the running server, and by the next start', async (t) => {
  const node = await startStubUpstream(t, await openStubChain())
  const { dataDir, run } = await folder(t)
  const cairn = await startCairn({ dataDir })
  t.after(() => cairn.stop())
  const add = ['networks', 'add', 'recorded', '--upstream', '${env:NODE_URL}', '--trusted']
  const { code, out, err } = await run(add, { NODE_URL: `${node.url}/${secret}` })
  assert.equal(code, 0, err)
  assert.match(out, /^Chain ID \d+\nupstream +chain +client +head /)
  assert.match(out, /The running server serves it at \/recorded\/v3\/<API_KEY> within 2 s\.\n$/)
  assert.doesNotMatch(out, new RegExp(secret))
  const number = () => rpc(`${cairn.url}/recorded`, cairn.apiKey, 'eth_blockNumber')
  await until(async () => assert.equal((await number()).result, '0x36'))

  const listed = await run(['networks', 'list'])
  assert.match(
    listed.out,
    /^dev \(default\) +- +embedded .*\nrecorded +\d+ +saved +127\.0\.0\.1:\d+/m,
  )
  const shown = await run(['upstreams', '--json'])
  assert.equal((JSON.parse(shown.out) as { upstreams: object[] }).upstreams.length, 1)
  const doctor = await run(['doctor', '--json'])
  assert.partialDeepStrictEqual(JSON.parse(doctor.out), {
    upstreams: [{ network: 'recorded', reachable: true }],
  })
  await cairn.stop()

  const again = await startCairn({ dataDir })
  try {
    assert.equal(
      (await rpc(`${again.url}/recorded`, cairn.apiKey, 'eth_blockNumber')).result,
      '0x36',
    )
    assert.equal((await run(['networks', 'remove', 'recorded'])).code, 0)
    const error = async () =>
      JSON.stringify((await rpc(`${again.url}/recorded`, cairn.apiKey, 'eth_chainId')).error)
    await until(async () => assert.match((await error()) ?? '', /not served/))
  } finally {
    await again.stop()
  }
})

test('networks are saved, changed and tested without a server, and wrong ones are refused', async (t) => {
  const node = await startStubUpstream(t, await openStubChain())
  const other = await startStubUpstream(t, await openStubChain())
  const { run } = await folder(t)
  const added = await run(['networks', 'add', 'recorded', '--upstream', node.url, '--json'])
  assert.equal(added.code, 0, added.err)
  assert.partialDeepStrictEqual(JSON.parse(added.out), {
    network: { name: 'recorded', chainId: String(chainId), live: null },
    probe: { upstreams: [{ failure: null }] },
  })
  const tested = await run(['networks', 'test', 'recorded', '--json'])
  assert.equal(tested.code, 0, tested.err)
  const down = await run(['networks', 'test', '--upstream', 'http://127.0.0.1:9'])
  assert.equal(down.code, 1)
  assert.match(down.out, /no reply: /)
  assert.match(down.out, /fix: curl -s http:\/\/127\.0\.0\.1:9/)

  const changed = await run([
    'networks',
    'change',
    'recorded',
    '--verify',
    'off',
    '--default',
    '--json',
  ])
  assert.equal(changed.code, 0, changed.err)
  assert.partialDeepStrictEqual(JSON.parse(changed.out), {
    network: { verify: { default: 'off' }, isDefault: true, upstreams: [{ url: node.url }] },
  })
  const replaced = await run([
    'networks',
    'change',
    'recorded',
    '--upstream',
    other.url,
    '--no-default',
    '--json',
  ])
  assert.equal(replaced.code, 0, replaced.err)
  assert.partialDeepStrictEqual(JSON.parse(replaced.out), {
    network: { verify: { default: 'off' }, isDefault: false, upstreams: [{ url: other.url }] },
  })

  const refusals: readonly (readonly [readonly string[], number, RegExp])[] = [
    [['change', 'recorded', '--trusted'], 2, /add --upstream/],
    [['change', 'recorded', '--upstream', 'http://127.0.0.1:9'], 1, /anyway with force/],
    [['change', 'nowhere', '--verify', 'off'], 1, /no saved network is named nowhere/],
    [['add', 'recorded', '--upstream', node.url], 1, /recorded is saved already/],
    [['add', 'sepolia', '--upstream', node.url], 1, /expected 11155111 \(sepolia\)/],
    [['add', 'holesky', '--upstream', 'http://127.0.0.1:9'], 1, /does not reply/],
    [['add', 'holesky', '--upstream', '${env:NOT_SET_ANYWHERE}'], 2, /NOT_SET_ANYWHERE/],
    [['add', 'holesky'], 2, /--upstream/],
    [['add', 'x', '--chain-id', '0x1', '--upstream', node.url], 2, /expected a whole number/],
    [['add', 'x', '--header', `bearer-${secret}`, '--upstream', node.url], 2, /"name: value"/],
    [['test'], 2, /give a name, or --upstream/],
    [['test', 'nowhere'], 1, /no network is named nowhere/],
    [['test', 'dev'], 1, /embedded chain/],
    [['remove', 'dev'], 1, /is in the settings/],
    [['remove', 'nowhere'], 1, /no saved network is named nowhere/],
  ]
  for (const [args, code, message] of refusals) {
    const ran = await run(['networks', ...args])
    assert.equal(ran.code, code, `${args.join(' ')}: ${ran.err}`)
    assert.match(ran.err, message)
    assert.doesNotMatch(ran.err, new RegExp(secret))
  }
})

test('doctor names a saved network that cannot be served, and lists what can', async (t) => {
  const node = await startStubUpstream(t, await openStubChain())
  const { dataDir, run } = await folder(t)
  await run(['networks', 'add', 'recorded', '--upstream', node.url])
  const env = {
    CAIRN_NETWORKS_RECORDED_UPSTREAMS: node.url,
    CAIRN_NETWORKS_HOODI_UPSTREAMS: node.url,
  }
  const variable = { CAIRN_NETWORKS_HOODI_UPSTREAMS: env.CAIRN_NETWORKS_HOODI_UPSTREAMS }
  const listed = await run(['networks', 'list'], variable)
  assert.match(listed.out, /^hoodi \(default\).*\nrecorded .*/m)
  const forked = await run(['networks', 'list'], { ...variable, CAIRN_CHAIN_FORK: 'hoodi@latest' })
  assert.match(forked.out, /^dev .*fork of hoodi@latest/m)
  await rm(`${dataDir}/identity.pem`)
  const { out } = await run(['doctor', '--json'])
  assert.match(out, /saved_network_unreadable/)
})
