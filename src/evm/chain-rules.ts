// Converts the fork schedule of a genesis to the rules (`Common`) that the EVM library needs.
// Tested by src/devchain/engine/engine.test.ts
import { paramsBlock } from '@ethereumjs/block'
import { Common, createCommonFromGethGenesis, Hardfork } from '@ethereumjs/common'
import type { CustomCrypto } from '@ethereumjs/common'
import { paramsEVM } from '@ethereumjs/evm'
import { paramsTx } from '@ethereumjs/tx'
import { paramsVM } from '@ethereumjs/vm'
import { toQuantity } from '../base/hex.ts'
import type { Genesis, GenesisConfig } from './genesis.ts'
import { isOpConfig, opForkAt, opSupportedUntil } from './op-config.ts'
import { type PrecompileChanges, opPrecompiles } from './precompiles/op-precompiles.ts'

/** A block's place in the fork schedule; `timestamp` in seconds. */
type ForkPoint = { readonly number: bigint; readonly timestamp: bigint }

export type ChainRules = {
  /** A new rules object for a block: the caller may modify it. */
  at(point: ForkPoint): Common
  /**
   * The rules for code in a block; `common`: those at its number and time. A block with a difficulty predates the merge, even if
   * later forks are active at its time, as a genesis block may be.
   */
  executionRules(block: ForkPoint & { readonly difficulty: bigint }, common: Common): Common
  /** Changes of precompiles at a block time (seconds) by rules of the chain's own; null: none. */
  precompilesAt(timestamp: bigint): PrecompileChanges | null
  /** True for the rules of the OP Stack. */
  readonly isOp: boolean
  /** Block time (seconds) of the first fork in the schedule that Cairn does not support; null: there is none. */
  readonly supportedUntil: bigint | null
}

export function createRules(genesis: Genesis, customCrypto: CustomCrypto): ChainRules {
  const { config, difficulty, gasLimit, nonce, timestamp } = genesis
  return createRulesOf(config, customCrypto, {
    difficulty: toQuantity(difficulty),
    gasLimit: toQuantity(gasLimit),
    nonce: `0x${nonce.toString(16).padStart(16, '0')}`,
    timestamp: toQuantity(timestamp),
  })
}

/** For callers that do not read the first block. */
const anyFirstBlock = {
  difficulty: '0x0',
  gasLimit: '0x0',
  nonce: `0x${'0'.repeat(16)}`,
  timestamp: '0x0',
}

/** Rules from the `config` of a geth genesis file alone. */
export function createRulesOf(
  config: GenesisConfig,
  customCrypto: CustomCrypto,
  firstBlock: Readonly<Record<string, string>> = anyFirstBlock,
): ChainRules {
  const rules = createCommonFromGethGenesis(
    { config: { ...config, ...mergeOf(config) }, ...firstBlock, alloc: {} } as never,
    { customCrypto },
  )
  IndexedCommon.adopt(rules)
  // Each library adds its own parameters only to the rules objects that it has seen.
  for (const params of [paramsBlock, paramsTx, paramsEVM, paramsVM]) rules.updateParams(params)
  rules.updateParams(blobCounts(config))
  // Each block, header and transaction would add the same parameters again, through JSON. Copies inherit this override.
  rules.updateParams = () => {}
  // The library builds this list every time an opcode asks for the active fork. Copies inherit this override as well.
  const forks = rules.hardforks()
  rules.hardforks = () => forks
  const at = ({ number, timestamp }: ForkPoint): Common => {
    const copy = rules.copy()
    try {
      copy.setHardforkBy({ blockNumber: number, timestamp })
    } catch {
      // A block of a simulation may combine an old number with a new time, but forks by time require those by number.
      copy.setHardforkBy({ blockNumber: number })
    }
    return copy
  }
  const isOp = isOpConfig(config)
  const merge = forks.findIndex(({ name }) => name === Hardfork.Paris)
  const beforeMerge = merge === -1 ? forks : forks.slice(0, merge)
  return {
    at,
    executionRules(block, common) {
      if (block.difficulty === 0n || !common.gteHardfork(Hardfork.Paris)) return common
      const copy = common.copy()
      const last = beforeMerge.findLast(({ block: from }) => from !== null && from <= block.number)
      if (last !== undefined) copy.setHardfork(last.name)
      return copy
    },
    precompilesAt(timestamp) {
      const fork = isOp ? opForkAt(config, timestamp) : null
      return fork === null ? null : opPrecompiles(fork)
    },
    isOp,
    supportedUntil: isOp ? opSupportedUntil(config) : null,
  }
}

/** Active EIPs by number, by fork, of each schedule. Copies of rules share their schedule. */
const indexes = new WeakMap<object, Map<string, readonly boolean[]>>()

/**
 * Finds an active EIP by its number. The library searches a list, two times for each instruction: 7 % of the processor time of the
 * call thread.
 */
class IndexedCommon extends Common {
  declare private index: readonly boolean[]

  /** Changes the class of rules that the library made. */
  static adopt(rules: Common): void {
    const indexed = Object.setPrototypeOf(rules, IndexedCommon.prototype) as IndexedCommon
    indexed._buildActivatedEIPsCache()
  }

  protected override _buildActivatedEIPsCache(): void {
    super._buildActivatedEIPsCache()
    const byFork = indexes.get(this.HARDFORK_CHANGES) ?? new Map<string, readonly boolean[]>()
    indexes.set(this.HARDFORK_CHANGES, byFork)
    const key = `${this.hardfork()} ${this._eips.join()}`
    const index = byFork.get(key) ?? indexOf(this._activatedEIPsCache)
    byFork.set(key, index)
    this.index = index
  }

  override isActivatedEIP(eip: number): boolean {
    return this.index[eip] === true
  }
}

function indexOf(eips: readonly number[]): readonly boolean[] {
  const index = Array.from({ length: Math.max(0, ...eips) + 1 }, () => false)
  for (const eip of eips) index[eip] = true
  return index
}

/** The library looks blob counts up by these names, from the first fork that changes only them (EIP-7892). */
function blobCounts(config: GenesisConfig): Record<string, { target: number; max: number }> {
  const schedule = config['blobSchedule']
  const counts: Record<string, { target: number; max: number }> = {}
  for (const [fork, entry] of Object.entries(schedule ?? {})) {
    const { target, max } = entry as { readonly target?: unknown; readonly max?: unknown }
    if (typeof target === 'number' && typeof max === 'number') counts[fork] = { target, max }
  }
  return counts
}

/** The library detects a merge at the first block only by this member of its own or by a later fork. */
function mergeOf({ terminalTotalDifficulty }: GenesisConfig): {
  terminalTotalDifficultyPassed?: true
} {
  const isMerged = terminalTotalDifficulty !== undefined && Number(terminalTotalDifficulty) === 0
  return isMerged ? { terminalTotalDifficultyPassed: true } : {}
}
