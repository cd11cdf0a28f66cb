// Runs `cairn chain import` while the EVM thread loads, and reports the result.
// Tested by src/cli/commands/chain-import.test.ts
import { existsSync, readFileSync } from 'node:fs'
import { systemClock } from '../base/clock.ts'
import { toHex } from '../base/hex.ts'
import { createLog } from '../base/log.ts'
import { describeErrno } from '../base/describe-errno.ts'
import { embeddedChain } from '../config/settings.ts'
import { countBlocks } from '../devchain/count-blocks.ts'
import { defaultGenesis } from '../devchain/default-genesis.ts'
import { parseGenesis } from '../evm/genesis.ts'
import type { ChainWorker } from '../devchain/start-chain-worker.ts'
import { importChain } from '../server/open-chain.ts'
import type { Context, SharedOptions } from './context.ts'
import { createProgress, type Progress } from './progress.ts'
import { FoundBad, print } from './report.ts'
import { settingsOf } from './shared-options.ts'
import { UsageError } from './usage-error.ts'

export type ChainImportOptions = SharedOptions & {
  readonly genesis?: string
  readonly blocks: string
  readonly head?: string
}

/** `worker`: from `startChainWorker`; the caller terminates it. */
export async function runChainImport(
  context: Context,
  options: ChainImportOptions,
  worker: ChainWorker,
): Promise<void> {
  const { config } = await settingsOf(context, options)
  const chain = embeddedChain(config)
  if (chain === null) {
    throw new Error('the settings define no embedded chain: add "- {name: dev, embedded: true}"')
  }
  if (chain.fork !== null) {
    throw new Error(
      `the embedded chain is a fork of ${chain.fork}: blocks cannot be imported into it`,
    )
  }
  const wanted = options.head === undefined ? null : readHead(options.head)
  const genesisFile = options.genesis ?? chain.genesisFile
  const genesis = genesisFile === null ? defaultGenesis : readGenesis(genesisFile)
  if (!existsSync(options.blocks)) throw new Error(`file not found: ${options.blocks}`)
  const total = await countBlocks(options.blocks)
  if (total === null) {
    throw new Error(`${options.blocks} is truncated, or not a file of blocks (concatenated RLP)`)
  }
  if (total === 0) throw new Error(`${options.blocks} contains no blocks`)
  let begun = systemClock.monotonic()
  let progress: Progress | null = null
  const { added, head } = await importChain({
    dataDir: config.dataDir,
    storeBytesMax: config.store.bytesMax,
    name: chain.name,
    genesis,
    blocksFile: options.blocks,
    worker,
    log: createLog(() => 'warn', systemClock.now, context.err),
    onStart(number) {
      // Creating the folder and the first block does not count as import.
      begun = systemClock.monotonic()
      const title = 'blocks executed and verified'
      progress = createProgress(context, {
        title,
        total,
        clock: systemClock,
        interrupted: 'interrupted: run the command again to continue',
      })
      progress.at(Number(number))
    },
    onBlock: (number) => progress?.at(Number(number)),
  }).finally(() => progress?.end())
  const seconds = (systemClock.monotonic() - begun) / 1000
  const hash = toHex(head.hash)
  const ok = wanted === null || wanted === hash
  const found = { ok, added, head: { number: Number(head.number), hash }, seconds }
  print(context, options.json, found, describe({ ...found, wanted, genesisFile }))
  if (!ok) throw new FoundBad()
}

function describe(found: {
  readonly added: number
  readonly head: { readonly number: number; readonly hash: string }
  readonly seconds: number
  readonly wanted: string | null
  readonly genesisFile: string | null
}): string {
  const { added, head, seconds, wanted, genesisFile } = found
  const rate = added === 0 ? '' : `, ${Math.round(added / seconds)} blocks/s`
  const agrees = wanted === null ? '' : wanted === head.hash ? ', as expected' : ''
  const lines = [
    `${added} blocks executed, verified and stored in ${seconds.toFixed(1)} s${rate}.`,
    `The chain ends at block ${head.number}, ${head.hash}${agrees}.`,
  ]
  if (wanted !== null && wanted !== head.hash) {
    lines.push(
      `The expected last block is ${wanted}: the file has blocks of another chain, or too few or too many.`,
    )
  }
  if (genesisFile !== null) lines.push(`To serve it, set chain: {genesisFile: ${genesisFile}}.`)
  return lines.join('\n')
}

function readGenesis(file: string) {
  try {
    return parseGenesis(JSON.parse(readFileSync(file, 'utf8')))
  } catch (cause) {
    // A JSON parser's message would repeat the file's bytes.
    const why = cause instanceof SyntaxError ? 'not JSON' : describeErrno(cause)
    throw new Error(`${file} is not a genesis file: ${why}`, { cause })
  }
}

/** A hash, or a file with an engine_forkchoiceUpdated request. */
function readHead(text: string): string {
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return text.toLowerCase()
  try {
    const input = JSON.parse(readFileSync(text, 'utf8')) as {
      readonly params?: readonly { readonly headBlockHash?: unknown }[]
    } | null
    const hash = input?.params?.[0]?.headBlockHash
    if (typeof hash === 'string' && /^0x[0-9a-fA-F]{64}$/.test(hash)) return hash.toLowerCase()
  } catch {
    // Reported below.
  }
  throw new UsageError(`--head: ${text} is not a block hash, and not a file that contains one`)
}
