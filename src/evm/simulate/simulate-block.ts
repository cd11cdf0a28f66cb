// One simulated block: applies its overrides, runs its calls one after the other, and computes the header.
// Tested by src/evm/simulate/simulate.test.ts
import { createAccount, createAddressFromString } from '@ethereumjs/util'
import { toHex } from '../../base/hex.ts'
import { encodeHeader } from '../../codec/ethereum/header.ts'
import type { Header } from '../../codec/ethereum/header.ts'
import { encodeEntries } from '../../codec/ethereum/list.ts'
import { orderedRoot } from '../../codec/ethereum/ordered-trie.ts'
import { encodeInteger, encodeRlp } from '../../codec/ethereum/rlp.ts'
import { encodeTransaction } from '../../codec/ethereum/transaction-encode.ts'
import type { SimulatedBlock, Withdrawal } from '../../chain/computation.ts'
import { overrideState, viewOverridden } from '../apply-overrides.ts'
import { createVmOver } from '../vm-over-state.ts'
import type { StateVm } from '../vm-over-state.ts'
import { overrideBaseFee } from '../watch-opcodes.ts'
import { draftHeader } from './draft-header.ts'
import type { PlannedBlock } from './plan-blocks.ts'
import { recordLogs } from './record-logs.ts'
import { simulateCall } from './simulate-call.ts'
import type { CallOutcome } from './simulate-call.ts'
import type { SimulationRun } from './simulation-run.ts'
import { beginBlock, endBlock } from './system-calls.ts'

const weiPerGwei = 1_000_000_000n
/** Approximate size of a block without calls in the response. */
const blockBytes = 2_000

/** Throws as evm-executor.ts, Executor.simulate. */
export async function simulateBlock(
  run: SimulationRun,
  planned: PlannedBlock,
  parent: { readonly header: Header; readonly hash: Uint8Array },
): Promise<SimulatedBlock> {
  const { rules, simulation, state, hashOf, slice, budget } = run
  const { traceTransfers, validation } = simulation
  const common = rules.at(planned)
  // Precompiled contracts, opcode watches and rules are specific to one block.
  const machine = await createVmOver(state, { common, index: { hashOf }, slice })
  const draft = draftHeader(parent, planned, { common, rules, validation })
  budget.add(blockBytes)
  await overrideState(machine, planned.state)
  if (!validation) overrideBaseFee(machine.vm, draft.baseFeePerGas ?? 0n)
  const block = viewOverridden(draft, common, planned.block.blobBaseFee)
  await beginBlock(machine, block, draft)
  const record = traceTransfers ? recordLogs(machine) : null
  const outcomes: CallOutcome[] = []
  let gasUsed = 0n
  for (const request of planned.calls) {
    const { blobBaseFee } = planned.block
    const outcome = await simulateCall(
      run,
      { machine, header: draft, blobBaseFee, record, gasUsed },
      request,
    )
    gasUsed += outcome.call.gasUsed
    outcomes.push(outcome)
  }
  const requestsHash = await endBlock(
    machine,
    block,
    outcomes.flatMap(({ logs }) => logs),
    { checked: false },
  )
  const withdrawals = (planned.block.withdrawals ?? []).map(encodeWithdrawal)
  await withdraw(machine, planned.block.withdrawals ?? [])
  await reward(machine, draft)
  const header = {
    ...draft,
    stateRoot: await state.getStateRoot(),
    transactionsRoot: orderedRoot(
      outcomes.map(({ transaction }) => encodeTransaction(transaction.transaction)),
    ),
    receiptsRoot: orderedRoot(outcomes.map(({ receipt }) => receipt)),
    logsBloom: joined(outcomes.map(({ bloom }) => bloom)),
    gasUsed,
    ...(draft.withdrawalsRoot !== undefined && { withdrawalsRoot: orderedRoot(withdrawals) }),
    ...(draft.blobGasUsed !== undefined && {
      blobGasUsed: outcomes.reduce((sum, { blobGas }) => sum + blobGas, 0n),
    }),
    ...(draft.requestsHash !== undefined && { requestsHash }),
  }
  return {
    header: encodeHeader(header),
    withdrawals: draft.withdrawalsRoot === undefined ? null : encodeEntries(withdrawals),
    transactions: outcomes.map(({ transaction }) => transaction),
    calls: outcomes.map(({ call }) => call),
  }
}

/** Before the merge, the miner of a block gets a reward, with or without transactions in it. */
async function reward({ vm, state }: StateVm, { difficulty, miner }: Header): Promise<void> {
  if (difficulty === 0n) return
  const name = createAddressFromString(toHex(miner))
  const account = (await state.getAccount(name)) ?? createAccount({})
  account.balance += vm.common.param('minerReward')
  await state.putAccount(name, account)
}

/** EIP-4895: withdrawals use no transaction and no gas. */
async function withdraw({ vm, state }: StateVm, withdrawals: readonly Withdrawal[]): Promise<void> {
  if (!vm.common.isActivatedEIP(4895)) return
  for (const { address, amount } of withdrawals) {
    await vm.evm.journal.checkpoint()
    const name = createAddressFromString(toHex(address))
    const account = (await state.getAccount(name)) ?? createAccount({})
    account.balance += amount * weiPerGwei
    await vm.evm.journal.putAccount(name, account)
    await vm.evm.journal.commit()
  }
  await vm.evm.journal.cleanup()
}

function encodeWithdrawal({ index, validatorIndex, address, amount }: Withdrawal): Uint8Array {
  return encodeRlp([
    encodeInteger(index),
    encodeInteger(validatorIndex),
    address,
    encodeInteger(amount),
  ])
}

function joined(blooms: readonly Uint8Array[]): Uint8Array {
  const bloom = new Uint8Array(256)
  for (const one of blooms)
    for (const [at, byte] of one.entries()) bloom[at] = (bloom[at] ?? 0) | byte
  return bloom
}
