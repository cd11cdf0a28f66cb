// `dag/stat`: number of blocks and bytes of DAGs, and how much of them is shared. Sends lines with intermediate counts; the last
// line is the result.
// Tested by src/kubo/commands/dag/dag.test.ts
import type { CID } from 'multiformats/cid'
import { toBareHex } from '../../../base/hex.ts'
import type { Clock } from '../../../base/clock.ts'
import type { FetchPolicy } from '../../../ipfs/files.ts'
import { type CommandCall, type KuboCommand, flag, valueOf } from '../../kubo-command.ts'
import { fetchPolicyOf } from '../../params/file-options.ts'

type DagStatInput = {
  readonly paths: readonly string[]
  readonly progress: boolean
  readonly patience: FetchPolicy
}

type DagCount = { readonly cid: CID; bytes: bigint; blocks: number }

const progressMs = 500

const declared = {
  progress: flag('progress', { alias: 'p', default: true }),
}

/** `clock`: paces the intermediate lines. */
export function createDagStat(clock: Clock): KuboCommand<DagStatInput> {
  return {
    name: 'dag/stat',
    class: 'read',
    argument: { name: 'root', required: true },
    body: 'lines',
    options: Object.values(declared),
    parse({ args, options }) {
      return {
        paths: args,
        progress: valueOf(options, declared.progress),
        patience: fetchPolicyOf(options),
      }
    },
    async run(input, call) {
      return { kind: 'events', lines: linesOf(input, call, clock), live: false }
    },
  }
}

async function* linesOf(input: DagStatInput, { files, signal }: CommandCall, clock: Clock) {
  const { paths, progress, patience } = input
  const dags: DagCount[] = []
  const unique = new Set<string>()
  const bytes = { distinct: 0n, all: 0n }
  let lastLine = clock.monotonic()
  for (const path of paths) {
    const dag = { cid: await files.resolve(path, patience, signal), bytes: 0n, blocks: 0 }
    dags.push(dag)
    for await (const { cid, block } of files.blocks(dag.cid, patience, signal)) {
      const size = BigInt(block?.length ?? 0)
      const key = toBareHex(cid.multihash.bytes)
      if (!unique.has(key)) bytes.distinct += size
      unique.add(key)
      bytes.all += size
      dag.bytes += size
      dag.blocks += 1
      if (!progress || clock.monotonic() - lastLine < progressMs) continue
      lastLine = clock.monotonic()
      yield { ...notZero('TotalSize', bytes.distinct), DagStats: dags.map(shown) }
    }
  }
  yield {
    ...notZero('UniqueBlocks', BigInt(unique.size)),
    ...notZero('TotalSize', bytes.distinct),
    ...notZero('SharedSize', bytes.all - bytes.distinct),
    ...(bytes.distinct === 0n ? {} : { Ratio: single(Number(bytes.all) / Number(bytes.distinct)) }),
    DagStats: dags.map(shown),
  }

  function shown({ cid, bytes: size, blocks }: DagCount): object {
    return {
      Cid: cid.toString(),
      ...notZero('Size', size),
      ...notZero('NumBlocks', BigInt(blocks)),
    }
  }
}

/** As in Kubo, zero is omitted. */
function notZero(name: string, value: bigint): Record<string, bigint> {
  return value === 0n ? {} : { [name]: value }
}

/** The shortest decimal form of this number in single precision. */
function single(value: number): number {
  for (let digits = 1; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === Math.fround(value)) return short
  }
  return Number(value.toPrecision(9))
}
