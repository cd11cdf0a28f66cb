// First reads: every call of the warm-up and of each round reads a new slot or transaction, so no answer is cached. Compared with a
// bare node:http server, anvil and EDR on the same data.
import type { Bench } from '../bench.ts'
import { storage, storageCalls, transaction, transactionCalls } from '../data/read-calls.ts'
import { slotsOf, writeGenesis } from '../data/genesis.ts'
import { createRpcCaller, makeBlocks } from '../data/transfers.ts'
import type { Call, Plan } from '../load/plan.ts'
import { measure, ratio, rounds, type Measured, type Target } from '../measure.ts'
import { startProfile, stopProfile } from '../profile.ts'
import { constantReply, type Server } from '../servers/bare.ts'
import { startAnvil } from '../servers/anvil.ts'
import { startEdr } from '../servers/edr.ts'

const connections = 32
// A server that has just started spends its time compiling: this share of the calls is for warm-up.
const warmUpShare = 0.4

type Peer = { readonly name: string; readonly server: Server; readonly calls: readonly Call[] }

export async function runFirstReads(bench: Bench): Promise<void> {
  bench.report.section('First reads: no request repeated')
  const cairn = await bench.cairn()
  await compare(bench, storage, storageCalls(cairn.slots), () => storagePeers(bench), [
    { peer: 'bare node:http', atLeast: 0.45 },
    { peer: 'anvil', atLeast: 0.7 },
  ])
  await compare(bench, transaction, transactionCalls(cairn.places), () => transactionPeers(bench), [
    { peer: 'bare node:http', atLeast: 0.45 },
    { peer: 'anvil', atLeast: 3 },
  ])
}

async function compare(
  bench: Bench,
  method: string,
  calls: readonly Call[],
  startPeers: () => Promise<readonly Peer[]>,
  goals: readonly { readonly peer: string; readonly atLeast: number }[],
): Promise<void> {
  const { report } = bench
  const cairn = await bench.cairn()
  const own: Target = {
    name: method,
    pid: cairn.pid,
    plan: planOf(cairn.port, cairn.paths, calls),
  }
  if (bench.options.profile) {
    const [measured = []] = await inFreshParts(bench, [own], cairn.profileFile)
    return report.target(method, measured)
  }
  const bare = await bench.bare()
  const peers = await startPeers()
  try {
    const others: Target[] = [
      {
        name: 'bare node:http',
        pid: bare.pid,
        plan: planOf(
          bare.port,
          cairn.paths,
          calls.map((call) => ({ ...call, constant: constantReply })),
        ),
      },
      ...peers.map(({ name, server, calls: same }) => ({
        name,
        pid: server.pid,
        plan: planOf(server.port, ['/'], same),
      })),
    ]
    const [mine = [], ...rest] = await inFreshParts(bench, [own, ...others], null)
    report.target(method, mine)
    others.forEach(({ name }, at) => {
      const theirs = rest[at] ?? []
      report.target(`${method}, ${name}`, theirs)
      const goal = goals.find(({ peer }) => peer === name)
      report.figure(
        `${method}: first reads/s, Cairn / ${name}`,
        ratio(mine, theirs, 'callsPerSecond'),
        '',
        goal === undefined ? undefined : { atLeast: goal.atLeast },
      )
      report.figure(`${method}: CPU of ${name} / Cairn`, ratio(theirs, mine, 'cpuUsPerCall'), '')
    })
  } finally {
    for (const { server } of peers) await server.stop()
  }
}

/** The warm-up uses the first calls, each round a third of the rest. */
async function inFreshParts(
  bench: Bench,
  targets: readonly Target[],
  profileFile: string | null,
): Promise<readonly (readonly Measured[])[]> {
  const part = ({ plan }: Target, from: number, to: number): Plan => {
    const calls = plan.calls.slice(from, to)
    return { ...plan, calls, count: calls.length }
  }
  const warm = Math.floor((targets[0]?.plan.calls.length ?? 0) * warmUpShare)
  for (const target of targets) await bench.loader.run(part(target, 0, warm))
  if (profileFile !== null) await startProfile(targets[0]?.pid ?? 0)
  const measured: Measured[][] = targets.map(() => [])
  for (let round = 0; round < rounds; round++) {
    for (const [at, target] of targets.entries()) {
      const each = Math.floor((target.plan.calls.length - warm) / rounds)
      const from = warm + round * each
      measured[at]?.push(
        await measure(bench.loader, { ...target, plan: part(target, from, from + each) }),
      )
    }
  }
  if (profileFile !== null) {
    const lines = await stopProfile(targets[0]?.pid ?? 0, profileFile)
    for (const line of lines) bench.report.note(line)
  }
  return measured
}

function planOf(port: number, paths: readonly string[], calls: readonly Call[]): Plan {
  return { port, paths, calls, ids: 'varied', connections, count: calls.length, rate: null }
}

async function storagePeers(bench: Bench): Promise<readonly Peer[]> {
  const { genesisFile, slots } = await bench.cairn()
  const calls = storageCalls(slots)
  const anvil = await startAnvil(genesisFile, bench.report.note)
  const edr = await startEdr(genesisFile, bench.report.note)
  return [
    ...(anvil === null ? [] : [{ name: 'anvil', server: anvil, calls }]),
    ...(edr === null ? [] : [{ name: 'EDR behind node:http', server: edr, calls }]),
  ]
}

/** Uses chains without the large contract, because anvil copies the whole state for each block. */
async function transactionPeers(bench: Bench): Promise<readonly Peer[]> {
  const { genesisFile, transfers } = await bench.cairn()
  const small = `${genesisFile}.small`
  await writeGenesis(small, slotsOf(1))
  const peers: Peer[] = []
  const add = async (name: string, server: Server) => {
    const call = createRpcCaller(`http://127.0.0.1:${server.port}`)
    const positions = await makeBlocks(call, transfers)
    peers.push({ name, server, calls: transactionCalls(positions) })
  }
  const anvil = await startAnvil(small, bench.report.note)
  if (anvil !== null) await add('anvil', anvil)
  const edr = await startEdr(small, bench.report.note)
  if (edr !== null) {
    // Same mode as anvil: several transactions in one block.
    await createRpcCaller(`http://127.0.0.1:${edr.port}`)('evm_setAutomine', [false])
    await add('EDR behind node:http', edr)
  }
  return peers
}
