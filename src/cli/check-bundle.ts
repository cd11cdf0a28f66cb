// The check of `cairn verify` and of the single-file verifier: takes a bundle file and the request that the user expects, and
// returns a verdict. Uses no network, settings or data folder.
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
import { findKnownSchedule } from '../proved-calls/known-schedules.ts'
import { createInlineCalls } from '../proved-calls/inline-calls.ts'
import { type GenesisConfig, parseGenesis } from '../evm/genesis.ts'
import { parseBundle } from '../rpc/bundles/proof-bundle.ts'
import { type ProvedAnswer, verifyBundle } from '../rpc/bundles/verify-bundle.ts'
import { UsageError } from './usage-error.ts'

/** The options as typed. `method` and `params` require each other; `params` and `result` are JSON text. */
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

/** `unproved`: members of the claimed result that no header commits to, so the check does not cover them. */
export type CheckedBundle =
  | (ProvedAnswer & {
      readonly proved: true
      readonly unproved: readonly string[]
    })
  | { readonly proved: false; readonly reason: string }

/** More than twice the default maximum size of a server's reply. */
const fileBytesMax = 64 * 1024 * 1024
const sendersMax = 10_000
/** Maximum number of characters of a result in the message about a mismatch. */
const shownMax = 200
const hashForm = /^0x[0-9a-fA-F]{64}$/

/**
 * `file`: a bundle or a whole reply that contains one; `-` reads standard input. Throws UsageError, and errors of reading the file.
 */
export async function checkBundle(file: string, options: CheckOptions): Promise<CheckedBundle> {
  const { block } = options
  if (block === undefined || !hashForm.test(block)) {
    throw new UsageError(
      `--block is "${block ?? ''}", expected the hash of the block you trust: 0x and 64 hex digits`,
    )
  }
  const request = {
    blockHash: fromHex(block),
    expectedRequest: expectedRequestOf(options),
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

/** The fork schedule for calls: from the genesis file or the network in the options. Throws UsageError. */
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

/**
 * Null: the file is too long. `-` reads standard input. Throws errors of the file system, or an Error with a message for the user.
 */
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

/** Shortens a result: a block or its receipts would fill the screen. */
function cut(result: string): string {
  return result.length > shownMax ? `${result.slice(0, shownMax)}…` : result
}

function refuse(reason: string): CheckedBundle {
  return { proved: false, reason }
}

function expectedRequestOf({ method, params }: CheckOptions) {
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

/** Text that is not JSON is returned as it is: `parseBundle` reports it. */
function parseFile(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Members of receipts that derive from the network's rules; no header commits to them. */
const ruled: ReadonlySet<string> = new Set(['blobGasPrice', ...feeMembers])

/** The claimed members that are not proved without the network's rules; null if the results differ. */
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

/** Removes the members that the proved receipt lacks and adds their names to `left`. */
function withoutRuled(proved: unknown, receipt: unknown, left: Set<string>): unknown {
  if (typeof receipt !== 'object' || receipt === null || Array.isArray(receipt)) return receipt
  const isLeft = (name: string) => ruled.has(name) && !Object.hasOwn(proved ?? {}, name)
  const entries = Object.entries(receipt)
  for (const [name] of entries) if (isLeft(name)) left.add(name)
  return Object.fromEntries(entries.filter(([name]) => !isLeft(name)))
}

/** For programs: the result as a JSON value, not as text. */
export function jsonOf(checked: CheckedBundle): object {
  return checked.proved ? { ...checked, result: JSON.parse(checked.result) as unknown } : checked
}

function uncovered(names: readonly string[]): string {
  const them = names.length === 1 ? 'it' : 'them'
  return `does not cover ${names.join(', ')}: no header commits to ${them} (see --network)`
}

/** For people. The request comes first, because the proof is only valid for that request. */
export function describeCheck(checked: CheckedBundle, hasExpectedRequest: boolean): string {
  if (!checked.proved) return `not proved: ${checked.reason}`
  const { method, params, block, result, unproved } = checked
  return [
    `proved  ${method} ${JSON.stringify(params)}`,
    `block   ${BigInt(block.number)} ${block.hash}`,
    `result  ${result}`,
    ...(unproved.length === 0 ? [] : [uncovered(unproved)]),
    ...(hasExpectedRequest
      ? []
      : [
          'The request was taken from the bundle: compare it with yours, or set --method and --params.',
        ]),
  ].join('\n')
}
