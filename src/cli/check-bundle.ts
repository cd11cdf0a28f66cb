// What `cairn verify` and the verifier in one file do: a file and the reader's own request in, a verdict out. No
// network, no settings, no data folder.
// Tested by test/verifier.test.ts
import { readFileSync, statSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { systemClock } from '../base/clock.ts'
import { fromHex } from '../base/hex.ts'
import type { KnownNetwork } from '../base/known-network.ts'
import { findNetworkNamed } from '../base/known-networks.ts'
import { feeMembers } from '../chain/rollups/op-fees.ts'
import { createSenderCache } from '../chain/sender-cache.ts'
import { createRpcOperations } from '../rpc/methods/index.ts'
import { findKnownSchedule } from '../devchain/proved/known-schedules.ts'
import { createInlineCalls } from '../devchain/proved/inline-calls.ts'
import { type GenesisConfig, parseGenesis } from '../devchain/genesis.ts'
import { parseBundle } from '../rpc/bundles/proof-bundle.ts'
import { type ProvedAnswer, verifyBundle } from '../rpc/bundles/verify-bundle.ts'
import { UsageError } from './usage-error.ts'

/** As typed. `method` and `params` come together; `params` and `result` are JSON text. */
export type CheckOptions = {
  readonly block?: string
  readonly method?: string
  readonly params?: string
  readonly result?: string
  readonly blobFraction?: string
  readonly network?: string
  /** A genesis file. */
  readonly genesis?: string
}

/** `unproved`: members of the claimed result that a header does not commit to, so nothing is said of them. */
export type CheckedBundle =
  | (ProvedAnswer & {
      readonly proved: true
      readonly unproved: readonly string[]
    })
  | { readonly proved: false; readonly reason: string }

/** Twice what a server puts into one reply by default, and then some. */
const fileBytesMax = 64 * 1024 * 1024
const sendersMax = 10_000
/** Characters of a result that are shown where another one was claimed. */
const shownMax = 200
const hashForm = /^0x[0-9a-fA-F]{64}$/

/** `file`: a bundle, or a whole reply with one; `-`: the same from standard input. Throws UsageError, and what reading the file throws. */
export async function checkBundle(file: string, options: CheckOptions): Promise<CheckedBundle> {
  const { block } = options
  if (block === undefined || !hashForm.test(block)) {
    throw new UsageError(
      `--block is "${block ?? ''}", expected the hash of the block you trust: 0x and 64 hex digits`,
    )
  }
  const request = {
    blockHash: fromHex(block),
    asked: askedBy(options),
    blobFeeFraction: fractionOf(options),
    ...networkOf(options),
  }
  const claimedByReader =
    options.result === undefined ? undefined : parseJson('--result', options.result)
  const text = await readCapped(file)
  if (text === null) return refuse(`the file is larger than ${fileBytesMax} bytes`)
  const parsed = parseBundle(parseFile(text))
  if ('refused' in parsed) return refuse(parsed.refused)
  const operations = createRpcOperations({
    clientVersion: '',
    clock: systemClock,
    findSender: createSenderCache(sendersMax).find,
  })
  const calls = createInlineCalls(scheduleFor(options, request.known))
  const verdict = await verifyBundle(parsed.bundle, { ...request, calls }, operations)
  if ('refused' in verdict) return refuse(verdict.refused)
  const unproved = new Set<string>()
  for (const claimed of [claimedByReader, parsed.claimed]) {
    if (claimed === undefined) continue
    const missing = compare(JSON.parse(verdict.result), claimed, verdict.method)
    if (missing === null)
      return refuse(`the bundle proves a different result: ${cut(verdict.result)}`)
    for (const name of missing) unproved.add(name)
  }
  return { proved: true, ...verdict, unproved: [...unproved] }
}

/** The fork schedule that calls follow: of the genesis file or the network that the reader names. Throws UsageError. */
function scheduleFor(
  { genesis }: CheckOptions,
  known: KnownNetwork | undefined,
): GenesisConfig | null {
  if (genesis !== undefined) return scheduleIn(genesis)
  return known === undefined ? null : findKnownSchedule(known.chainId)
}

function scheduleIn(file: string): GenesisConfig {
  try {
    return parseGenesis(JSON.parse(readFileSync(file, 'utf8'))).config
  } catch (cause) {
    const reason = (cause as Error).message
    throw new UsageError(`--genesis ${file} cannot be read as a genesis file: ${reason}`)
  }
}

/** Null: longer than that. `-`: standard input. Throws what reading throws, and a sentence. */
async function readCapped(file: string): Promise<string | null> {
  if (file !== '-') {
    const size = statSync(file, { throwIfNoEntry: false })?.size
    if (size === undefined) throw new Error(`file not found: ${file}`)
    return size > fileBytesMax ? null : readFileSync(file, 'utf8')
  }
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > fileBytesMax) return null
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** A block or its receipts would fill the screen. */
function cut(result: string): string {
  return result.length > shownMax ? `${result.slice(0, shownMax)}…` : result
}

function refuse(reason: string): CheckedBundle {
  return { proved: false, reason }
}

function askedBy({ method, params }: CheckOptions) {
  if (method === undefined && params === undefined) return null
  if (method === undefined || params === undefined) {
    throw new UsageError('--method requires --params, and --params requires --method')
  }
  const list = parseJson('--params', params)
  if (!Array.isArray(list)) throw new UsageError('--params must be a JSON array')
  return { method, params: list as readonly unknown[] }
}

function fractionOf({ blobFraction }: CheckOptions): bigint | null {
  if (blobFraction === undefined) return null
  if (!/^[1-9][0-9]{0,18}$/.test(blobFraction)) {
    throw new UsageError(`--blob-fraction is "${blobFraction}", expected a whole number`)
  }
  return BigInt(blobFraction)
}

function networkOf({ network }: CheckOptions): { readonly known?: KnownNetwork } {
  if (network === undefined) return {}
  const known = findNetworkNamed(network)
  if (known !== null) return { known }
  throw new UsageError(`--network is "${network}", expected a name of docs/reference/networks.md`)
}

function parseJson(flag: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError(`${flag} is ${text}, expected JSON, with quotes around text: '"0x0"'`)
  }
}

/** What is no JSON is no bundle either: `parseBundle` says so. */
function parseFile(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Members of receipts that follow from the rules of the network, which no header commits to. */
const ruled: ReadonlySet<string> = new Set(['blobGasPrice', ...feeMembers])

/** The members that are claimed and, without the rules of the network, not proved; null where the results differ. */
function compare(proved: unknown, claimed: unknown, method: string): readonly string[] | null {
  if (isDeepStrictEqual(proved, claimed)) return []
  if (!/Receipts?$/.test(method)) return null
  const left = new Set<string>()
  const bare: unknown =
    Array.isArray(claimed) && Array.isArray(proved)
      ? claimed.map((receipt: unknown, at) => withoutRuled(proved[at], receipt, left))
      : withoutRuled(proved, claimed, left)
  return isDeepStrictEqual(proved, bare) ? [...left] : null
}

/** Without those members that the proved receipt lacks; their names are added to `left`. */
function withoutRuled(proved: unknown, receipt: unknown, left: Set<string>): unknown {
  if (typeof receipt !== 'object' || receipt === null || Array.isArray(receipt)) return receipt
  const isLeft = (name: string) => ruled.has(name) && !Object.hasOwn(proved ?? {}, name)
  const entries = Object.entries(receipt)
  for (const [name] of entries) if (isLeft(name)) left.add(name)
  return Object.fromEntries(entries.filter(([name]) => !isLeft(name)))
}

/** For programs: the result as JSON, not as its text. */
export function jsonOf(checked: CheckedBundle): object {
  return checked.proved ? { ...checked, result: JSON.parse(checked.result) as unknown } : checked
}

function uncovered(names: readonly string[]): string {
  const them = names.length === 1 ? 'it' : 'them'
  return `does not cover ${names.join(', ')}: no header commits to ${them} (see --network)`
}

/** For people: the request first, as it is what the proof is of. */
export function describeCheck(checked: CheckedBundle, asked: boolean): string {
  if (!checked.proved) return `not proved: ${checked.reason}`
  const { method, params, block, result, unproved } = checked
  return [
    `proved  ${method} ${JSON.stringify(params)}`,
    `block   ${BigInt(block.number)} ${block.hash}`,
    `result  ${result}`,
    ...(unproved.length === 0 ? [] : [uncovered(unproved)]),
    ...(asked
      ? []
      : [
          'The request was taken from the bundle: compare it with yours, or set --method and --params.',
        ]),
  ].join('\n')
}
