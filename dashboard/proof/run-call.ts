// Verifies the bundle of a call: re-executes the call with the fork rules of the selected network or of a genesis file. Only the
// worker loads this module.
// Tested by test/browser/call-proof.test.ts
import { fromHex, toHex } from '../../src/base/hex.ts'
import { findKnownNetwork } from '../../src/base/known-networks.ts'
import { decodeHeader } from '../../src/codec/ethereum/header.ts'
import { BadGenesis, type GenesisConfig, parseGenesis } from '../../src/evm/genesis.ts'
import { createInlineCalls, nameFork } from '../../src/proved-calls/inline-calls.ts'
import { findKnownSchedule } from '../../src/proved-calls/known-schedules.ts'
import type { CallJob, CallOutcome, ReadValue } from './call-job.ts'
import { checkAnswer } from './check-answer.ts'

/** Maximum number of values of a call that the page names. */
const readsMax = 5_000

type Rules = { readonly name: string; readonly config: GenesisConfig }

/** Throws only for a bug of the page; everything else is in the outcome. */
export async function runCall(job: CallJob): Promise<CallOutcome> {
  const rules = rulesFor(job)
  if ('needsGenesis' in rules) return rules
  const reads = new Map<string, ReadValue>()
  const calls = createInlineCalls(rules.config, ({ address, position }) => {
    const read = {
      address: toHex(address),
      ...(position !== undefined && { slot: toHex(position) }),
    }
    if (reads.size < readsMax) reads.set(`${read.address} ${read.slot ?? ''}`, read)
  })
  const check = await checkAnswer(job.bundle, job.trusted, job.replied, calls)
  return { check, rules: `${rules.name}${forkOf(job, rules)}`, reads: [...reads.values()] }
}

function rulesFor({ chainId, genesis }: CallJob): Rules | { readonly needsGenesis: string } {
  if (genesis !== null) return rulesOf(genesis, chainId)
  const known = findKnownNetwork(BigInt(chainId))
  const config = findKnownSchedule(BigInt(chainId))
  if (known !== null && config !== null) return { name: known.name, config }
  const why =
    known === null
      ? `Cairn does not know the fork rules of chain ${chainId}.`
      : `The EVM of ${known.title} has rules that Cairn does not know.`
  return { needsGenesis: why }
}

function rulesOf(text: string, chainId: string): Rules | { readonly needsGenesis: string } {
  try {
    const { config, chainId: own } = parseGenesis(JSON.parse(text))
    if (String(own) === chainId) return { name: `the genesis file of chain ${chainId}`, config }
    return { needsGenesis: `The genesis file is of chain ${own}, the network is chain ${chainId}.` }
  } catch (thrown) {
    const why = thrown instanceof BadGenesis ? thrown.message : 'it is not valid JSON'
    return { needsGenesis: `The file cannot be read as a genesis file: ${why}.` }
  }
}

/** `, fork osaka`; empty if the bundle has no header with a block number. */
function forkOf({ bundle }: CallJob, { config }: Rules): string {
  try {
    const { header } = bundle as { readonly header: string }
    return `, fork ${nameFork(config, decodeHeader(fromHex(header)))}`
  } catch {
    return ''
  }
}
