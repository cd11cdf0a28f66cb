// Commands about the IPFS network, in the shapes of Kubo 0.43. A simulated network answers with these values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFileCommands } from '../../../../test/fakes/files/file-commands.ts'
import { fileEntry } from '../../../../test/fakes/files/files-fixture.ts'
import { systemClock } from '../../../base/clock.ts'
import { Fault } from '../../../base/fault.ts'
import { createKeyedSemaphore } from '../../../base/keyed-semaphore.ts'
import { parseCid } from '../../../codec/ipld/cid.ts'
import type { NetCommand } from '../../../ipfs/network/net-messages.ts'
import { commandsPerAccountMax, type KuboNetwork } from '../../network-command.ts'

const cid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const other = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const peer = '12D3KooW9pNAk8aiBuGVQtWRdbkLmo5qVL3e2h5UxbN2Nz9ttwiw'

const onePeer = {
  Addr: '/ip4/192.0.2.1/tcp/4001',
  Peer: peer,
  Latency: '2ms',
  Direction: 2,
  Streams: [{ Protocol: '/ipfs/bitswap/1.2.0' }],
  Identify: { ID: peer, AgentVersion: 'kubo' },
}

function networkOf(values: readonly unknown[], operators: readonly string[] = []) {
  const sent: NetCommand[] = []
  const network: KuboNetwork = {
    async *command(message) {
      sent.push(message)
      yield* values
    },
    wantsOf: (account) =>
      (account === null ? [cid, other] : account === 'alice' ? [cid] : []).map(
        (text) => parseCid(text)?.bytes ?? new Uint8Array(),
      ),
    routingType: () => 'autoclient',
    provideStat: () => null,
    isOperator: (account) => operators.includes(account),
    running: createKeyedSemaphore(commandsPerAccountMax),
    clock: systemClock,
  }
  return { network, sent }
}

test('without the network, its commands name the setting', async (t) => {
  const { run } = createFileCommands(t)
  for (const name of [
    'swarm/connect',
    'swarm/disconnect',
    'swarm/addrs/local',
    'swarm/peering/add',
    'swarm/peering/ls',
    'swarm/peering/rm',
    'bitswap/stat',
    'bitswap/wantlist',
    'bitswap/ledger',
    'stats/bitswap',
    'routing/findprovs',
    'routing/findpeer',
    'routing/get',
    'routing/put',
    'routing/provide',
    'provide/stat',
  ]) {
    await assert.rejects(run(name, ['x']), /set ipfsNetwork\.mode to fetch or provide/, name)
  }
})

test('what changes connections or publishes is for operators', async (t) => {
  const { network, sent } = networkOf([{ Strings: [`connect ${peer} success`] }], ['ops'])
  const { value, run } = createFileCommands(t, {}, network)
  const address = `/ip4/192.0.2.1/tcp/4001/p2p/${peer}`
  for (const name of [
    'swarm/connect',
    'swarm/disconnect',
    'swarm/peering/add',
    'swarm/peering/rm',
    'routing/provide',
    'routing/put',
  ]) {
    await assert.rejects(run(name, [address]), /is for operators/, name)
  }
  assert.deepEqual(sent, [])
  assert.deepEqual(await value('swarm/connect', [address], {}, null, undefined, 'ops'), {
    Strings: [`connect ${peer} success`],
  })
  assert.deepEqual(sent, [{ name: 'swarm/connect', arg: address }])
})

test('swarm/peers has the members that the options name', async (t) => {
  const { network } = networkOf([onePeer])
  const { value } = createFileCommands(t, {}, network)
  const noIdentify = { ID: '', PublicKey: '', Addresses: null, AgentVersion: '', Protocols: null }
  const plain = { Addr: onePeer.Addr, Peer: peer, Identify: noIdentify }
  assert.deepEqual(await value('swarm/peers'), { Peers: [plain] })
  assert.deepEqual(await value('swarm/peers', [], { latency: true }), {
    Peers: [{ ...plain, Latency: '2ms' }],
  })
  assert.deepEqual(await value('swarm/peers', [], { verbose: true }), { Peers: [onePeer] })
  const { network: empty } = networkOf([])
  assert.deepEqual(await createFileCommands(t, {}, empty).value('swarm/peers'), { Peers: null })
})

test('swarm/addrs lists the addresses of each peer, and its own', async (t) => {
  const { network } = networkOf([
    { ID: 'one', Addrs: ['/ip4/192.0.2.1/tcp/4001'] },
    { ID: 'other', Addrs: [] },
  ])
  const { Addrs } = (await createFileCommands(t, {}, network).value('swarm/addrs')) as {
    Addrs: Record<string, readonly string[]>
  }
  assert.deepEqual([Addrs['one'], Addrs['other']], [['/ip4/192.0.2.1/tcp/4001'], []])
  assert.equal(Object.keys(Addrs).length, 3)
})

test('id is that of the peer, with its own addresses or else the address of the request', async (t) => {
  const identity = {
    ID: peer,
    PublicKey: 'key',
    Addresses: [`/ip4/192.0.2.7/tcp/4001/p2p/${peer}`],
    AgentVersion: 'cairn/0.1.0',
    Protocols: ['/ipfs/bitswap/1.2.0'],
  }
  const { network, sent } = networkOf([identity])
  const { value } = createFileCommands(t, {}, network)
  assert.deepEqual(await value('id'), identity)
  assert.deepEqual(await value('id', [peer]), identity)
  assert.deepEqual(sent, [{ name: 'id' }, { name: 'id', arg: peer }])
  const silent = createFileCommands(t, {}, networkOf([{ ...identity, Addresses: [] }]).network)
  assert.deepEqual(await silent.value('id'), {
    ...identity,
    Addresses: [`/ip4/127.0.0.1/tcp/8545/http/p2p/${peer}`],
  })
})

test('config/show has the routing of the network', async (t) => {
  const { value } = createFileCommands(t, {}, networkOf([]).network)
  const { Routing } = (await value('config/show')) as { Routing: unknown }
  assert.deepEqual(Routing, { Type: 'autoclient' })
})

test('while the process starts, id is that of the server', async (t) => {
  const { network } = networkOf([])
  const away = {
    ...network,
    // oxlint-disable-next-line require-yield
    async *command(): AsyncGenerator<unknown> {
      throw new Fault('no_upstream')
    },
  }
  const { value } = createFileCommands(t, {}, away)
  assert.equal(((await value('id')) as { Protocols: unknown[] }).Protocols.length, 0)
  await assert.rejects(value('id', ['12D3Other']), /peerid/)
})

test('an account sees its own wants, an operator those of all', async (t) => {
  const stat = { Wantlist: [{ '/': other }], Peers: [], BlocksReceived: 3 }
  const { network } = networkOf([stat], ['ops'])
  const { value } = createFileCommands(t, {}, network)
  const as = (name: string, account: string) => value(name, [], {}, null, undefined, account)
  assert.deepEqual(await as('bitswap/wantlist', 'alice'), { Keys: [{ '/': cid }] })
  assert.deepEqual(await as('bitswap/wantlist', 'bob'), { Keys: [] })
  const self = createFileCommands(t, {}, networkOf([null], ['ops']).network)
  const ofSelf = await self.value('bitswap/wantlist', [], { peer }, null, undefined, 'alice')
  assert.deepEqual(ofSelf, { Keys: [{ '/': cid }] })
  assert.deepEqual(await as('bitswap/wantlist', 'ops'), { Keys: [{ '/': cid }, { '/': other }] })
  for (const name of ['bitswap/stat', 'stats/bitswap']) {
    assert.deepEqual(await as(name, 'bob'), { ...stat, Wantlist: [] })
  }
})

test('routing/findprovs gives a line for each provider, at most 1,000', async (t) => {
  const line = { Extra: '', ID: '', Responses: [{ ID: peer, Addrs: [] }], Type: 4 }
  const { network, sent } = networkOf([line, line])
  const { lines } = createFileCommands(t, {}, network)
  assert.deepEqual(await lines('routing/findprovs', [`/ipfs/${cid}`]), [line, line])
  await lines('routing/findprovs', [cid], { 'num-providers': 5000n })
  assert.deepEqual(sent, [
    { name: 'routing/findprovs', arg: cid, max: 20 },
    { name: 'routing/findprovs', arg: cid, max: 1000 },
  ])
  await assert.rejects(lines('routing/findprovs', ['no cid']), /invalid CID/)
  for (const providers of [0n, -1n]) {
    await assert.rejects(lines('routing/findprovs', [cid], { 'num-providers': providers }), {
      message: 'number of providers must be greater than 0',
    })
  }
})

test('routing/put sends the record, of 10 KiB at most', async (t) => {
  const { network, sent } = networkOf([], ['alice'])
  const { lines } = createFileCommands(t, {}, network)
  assert.deepEqual(await lines('routing/put', ['/ipns/k51'], {}, [fileEntry('r', 'record')]), [])
  const record = Buffer.from('record').toString('base64')
  assert.deepEqual(sent, [{ name: 'routing/put', arg: '/ipns/k51', record }])
  const long = [fileEntry('r', 'x'.repeat(10_241))]
  await assert.rejects(lines('routing/put', ['/ipns/k51'], {}, long), /10240 bytes/)
  await assert.rejects(lines('routing/put', ['/ipns/k51'], {}, []), /value-file/)
})

test('an account runs 16 commands at a time, and each ends with its timeout', async (t) => {
  const silent: KuboNetwork = {
    ...networkOf([]).network,
    async *command(_message, signal) {
      yield await new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
    },
  }
  const { run } = createFileCommands(t, {}, silent)
  const find = (accountId: string, timeout: bigint) =>
    run('routing/findprovs', [cid], { timeout }, null, undefined, accountId)
  const late = { code: 'deadline' }
  const waiting = Array.from({ length: commandsPerAccountMax }, () =>
    assert.rejects(find('alice', 300n), late),
  )
  await assert.rejects(find('alice', 1n), { code: 'overloaded', message: /^16 commands/ })
  await assert.rejects(find('bob', 1n), late)
  await Promise.all(waiting)
  await assert.rejects(find('alice', 1n), late)
})

test('stats/bw is the line of the process, provide/stat has the counts of Cairn', async (t) => {
  const line = { TotalIn: 5, TotalOut: 6, RateIn: 0.5, RateOut: 0 }
  const { network } = networkOf([line])
  const counts = { due: 1, done: 2, late: 0, over: 0, planned: 3 }
  const providing = { ...network, provideStat: async () => counts }
  const { clock, run, lines, value } = createFileCommands(t, {}, providing)
  assert.deepEqual(await lines('stats/bw'), [line])
  await assert.rejects(lines('stats/bw', [], { interval: 'often' }), {
    message: 'time: invalid duration "often"',
  })
  for (const [name, value] of [
    ['peer', ''],
    ['peer', '12D3KooWGRUfJh5iJC8sCiMSVAsKk2ZpPjFJfHv6P3fmMJDL8RGc'],
    ['proto', '/ipfs/bitswap/1.2.0'],
  ] as const) {
    await assert.rejects(lines('stats/bw', [], { [name]: value }), {
      code: 'unsupported_option',
      message: new RegExp(`^option "${name}" is not supported by this server`),
    })
  }
  await assert.rejects(lines('stats/bw', [], { peer: '', proto: '' }), {
    message: 'please only specify peer OR protocol',
  })
  const polled = await run('stats/bw', [], { poll: true, interval: '10s' })
  assert.ok(polled.kind === 'events')
  const polledLines = polled.lines[Symbol.asyncIterator]()
  assert.deepEqual((await polledLines.next()).value, line)
  const { timers } = clock
  const next = polledLines.next()
  while (clock.timers === timers) await new Promise(setImmediate)
  clock.advance(9_999)
  assert.equal(clock.timers, timers + 1)
  clock.advance(1)
  assert.deepEqual((await next).value, line)
  // A timer of Node has at most 2^31 ms.
  const slow = await run('stats/bw', [], { poll: true, interval: '600h' })
  assert.ok(slow.kind === 'events')
  const slowLines = slow.lines[Symbol.asyncIterator]()
  assert.deepEqual((await slowLines.next()).value, line)
  const before = clock.timers
  const second = slowLines.next()
  while (clock.timers === before) await new Promise(setImmediate)
  clock.advance(3_600_000)
  assert.deepEqual((await second).value, line)
  assert.equal((await slowLines.next()).done, true)
  const short = await lines('stats/bw', [], { poll: true, timeout: 0n })
  assert.deepEqual(short, [line])
  const stat = (await value('provide/stat')) as { Cairn: unknown; Sweep: object }
  assert.deepEqual(stat.Cairn, counts)
})
