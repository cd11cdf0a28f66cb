// Block transfer between Cairn and a real Kubo over libp2p on loopback, in both directions, compared with Kubo to Kubo in the same
// run; memory of the network process, and the busy share of the request thread. Skipped without Kubo (CAIRN_KUBO, or `ipfs` in the
// path).
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from '../../test/engines/free-port.ts'
import { type Kubo, missingKubo, startKubo } from '../../test/engines/kubo.ts'
import { filesClient } from '../../test/fakes/files/files-client.ts'
import { startCairn, temporaryFolder } from '../../test/started-server.ts'
import type { Bench } from '../bench.ts'
import { median, rounds } from '../measure.ts'
import { mainThreadUs, rssMiB } from '../processes.ts'

const mib = 1024 * 1024
const addOptions = { 'raw-leaves': 'true' }

/** Bytes per second. `thread`: busy share of Cairn's request thread. */
type Round = {
  readonly kubo: number
  readonly served: number
  readonly fetched: number
  readonly thread: number
}

export async function runNetwork(bench: Bench): Promise<void> {
  const { report } = bench
  const missing = missingKubo()
  report.section('IPFS network: a file of 100 MiB beside Kubo')
  if (missing !== false) return report.note(missing)
  await using stops = new AsyncDisposableStack()
  const after = { after: (stop: () => void | Promise<void>) => stops.defer(stop) }
  const [one, other] = [await startKubo(after), await startKubo(after)]
  const cairn = await startNode(stops, one)
  await other.connect(one.address)
  await other.connect(cairn.address)
  const all: Round[] = []
  for (let round = 0; round < rounds; round++) {
    all.push(await runRound({ one, other, cairn, bytes: bench.calls(100) * mib }))
  }
  const of = (figure: (round: Round) => number): number => median(all.map(figure))
  report.figure('Kubo to Kubo', of(({ kubo }) => kubo) / 1e6, ' MB/s')
  report.figure('Cairn to Kubo', of(({ served }) => served) / 1e6, ' MB/s')
  report.figure('Kubo to Cairn', of(({ fetched }) => fetched) / 1e6, ' MB/s')
  const goal = { atLeast: 0.6 }
  const servedRatio = of(({ served, kubo }) => served / kubo)
  report.figure('Cairn to Kubo / Kubo to Kubo', servedRatio, '', goal)
  const fetchedRatio = of(({ fetched, kubo }) => fetched / kubo)
  report.figure('Kubo to Cairn / Kubo to Kubo', fetchedRatio, '', goal)
  const busy = of(({ thread }) => thread) * 100
  report.figure('request thread busy while Kubo reads', busy, ' %', { atMost: 5 })
  report.figure('memory of the network process', await cairn.networkMiB(), ' MiB', { atMost: 320 })
}

type Node = Awaited<ReturnType<typeof startNode>>

async function startNode(stops: AsyncDisposableStack, peer: Kubo) {
  const dataDir = await temporaryFolder()
  const file = join(dataDir, 'cairn.yaml')
  const listen = `/ip4/127.0.0.1/tcp/${await freePort()}`
  const ipfsNetwork = {
    mode: 'provide',
    private: true,
    listen: [listen],
    routers: [],
    bootstrap: [],
    dht: 'off',
    peers: [peer.address],
  }
  writeFileSync(file, JSON.stringify({ ipfsNetwork }))
  const server = await startCairn({ dataDir, args: ['--config', file] })
  stops.defer(async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const { accounts } = (await server.cli('accounts', 'list')) as { accounts: [{ name: string }] }
  await server.cli('accounts', 'set', accounts[0].name, '--provide', 'roots')
  const client = filesClient(server)
  await peerIsUp(client)
  const { ID: id } = (await (await client.post('id')).json()) as { ID: string }
  const pid = server.child.pid ?? 0
  return {
    ...client,
    pid,
    address: `${listen}/p2p/${id}`,
    networkMiB: async () => rssMiB(pid) - rssMiB(pid, false),
  }
}

/** Waits for the start of the network process. */
async function peerIsUp({ post }: ReturnType<typeof filesClient>): Promise<void> {
  const reply = await post('stats/bw')
  if (!reply.ok) throw new Error(await reply.text())
}

async function runRound(parts: {
  readonly one: Kubo
  readonly other: Kubo
  readonly cairn: Node
  readonly bytes: number
}): Promise<Round> {
  const { one, other, cairn, bytes } = parts
  const rate = async (work: () => Promise<unknown>): Promise<number> => {
    const began = performance.now()
    await work()
    return (bytes / (performance.now() - began)) * 1000
  }
  const first = await one.add(randomBytes(bytes), addOptions)
  const kubo = await rate(() => other.bytes('cat', { arg: first }))
  const second = await cairn.add(randomBytes(bytes), 'raw-leaves=true')
  const cpu = mainThreadUs(cairn.pid)
  const began = performance.now()
  const served = await rate(() => other.bytes('cat', { arg: second }))
  const thread = (mainThreadUs(cairn.pid) - cpu) / 1000 / (performance.now() - began)
  const third = await one.add(randomBytes(bytes), addOptions)
  const fetched = await rate(async () => {
    const reply = await cairn.post(`cat?arg=${third}`)
    const read = (await reply.arrayBuffer()).byteLength
    if (read !== bytes) throw new Error(`cat gave ${read} bytes`)
  })
  await Promise.all([one.empty(), other.empty()])
  return { kubo, served, fetched, thread }
}
