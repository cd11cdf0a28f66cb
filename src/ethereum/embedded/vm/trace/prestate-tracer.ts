// `prestateTracer`: the accounts that a transaction touches as they were before it, or with `diffMode` what
// it changed (go-ethereum eth/tracers/native/prestate.go).
// Tested by src/ethereum/embedded/vm/trace.test.ts
import { createAddressFromString } from '@ethereumjs/util'
import type { Address } from '@ethereumjs/util'
import { fromHex, toHex, toQuantity } from '../../../../base/hex.ts'
import { contractAddress } from '../../../../codec/sender.ts'
import type { PrestateOptions } from '../../../computation.ts'
import { authoritiesOf } from '../authorities.ts'
import type { StateVm } from '../chain-vm.ts'
import { calling, naming, opcodes, watchOpcodes } from '../watch-opcodes.ts'
import type { Frame } from '../watch-opcodes.ts'
import { eventsOf } from './tracer.ts'
import type { TraceBudget, Tracer } from './tracer.ts'

type Was = {
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: string
  /** Slot to word, both `0x` and 64 digits. */
  readonly storage: Map<string, string>
}

type Shown = {
  readonly balance?: string
  readonly nonce?: number
  readonly code?: string
  readonly storage?: Readonly<Record<string, string>>
}

const zeroWord = `0x${'0'.repeat(64)}`
const accountBytes = 160
const slotBytes = 140

export function createPrestateTracer(
  options: PrestateOptions,
  machine: StateVm,
  budget: TraceBudget,
): Tracer {
  const { state, vm } = machine
  let active = false
  let touched = new Map<string, Was>()
  let created = new Set<string>()
  /** Of a listener, which cannot fail by itself. */
  let failure: unknown = null

  // Whatever changes an account is told of before it does, so the first look is at what was.
  async function touch(address: Address): Promise<Was> {
    const name = address.toString()
    const known = touched.get(name)
    if (known !== undefined) return known
    const found = await read(address)
    touched.set(name, found)
    budget.add(accountBytes + found.code.length)
    return found
  }

  /** With the code that runs for an account that lets another speak for it (EIP-7702). */
  async function touchRun(address: Address): Promise<void> {
    await touch(address)
    const code = await state.getCode(address)
    if (toHex(code.subarray(0, 3)) !== '0xef0100') return
    await touch(createAddressFromString(toHex(code.subarray(3))))
  }

  async function read(address: Address): Promise<Was> {
    const account = await state.getAccount(address)
    return {
      balance: account?.balance ?? 0n,
      nonce: account?.nonce ?? 0n,
      code: toHex(await state.getCode(address)),
      storage: new Map(),
    }
  }

  async function readSlot(address: Address, slot: string): Promise<string> {
    return `0x${toHex(await state.getStorage(address, fromHex(slot)))
      .slice(2)
      .padStart(64, '0')}`
  }

  const touchWord = async (frame: Frame, depth: number, needed: number) => {
    if (!active || frame.stack.length < needed) return
    const address = addressOf(frame.stack.peek(needed)[depth] ?? 0n)
    await (depth === 0 ? touch(address) : touchRun(address))
  }
  watchOpcodes(vm, naming, (_, frame) => touchWord(frame, 0, 1))
  watchOpcodes(vm, calling, (_, frame) => touchWord(frame, 1, 5))
  watchOpcodes(vm, [opcodes.sload, opcodes.sstore], async (_, frame) => {
    if (!active || frame.stack.length < 1) return
    const { address } = frame.env
    const { storage } = await touch(address)
    const slot = `0x${(frame.stack.peek(1)[0] ?? 0n).toString(16).padStart(64, '0')}`
    if (storage.has(slot)) return
    storage.set(slot, await readSlot(address, slot))
    budget.add(slotBytes)
  })
  // The only frames whose target no instruction has named.
  eventsOf(machine).on('newContract', ({ address }, done) => {
    if (!active) return done?.()
    created.add(address.toString())
    void touch(address)
      .catch((error: unknown) => (failure ??= error))
      .then(() => done?.())
  })
  // Nor the contract that was there already.
  eventsOf(machine).on('afterMessage', ({ execResult, createdAddress }, done) => {
    const collides = execResult.exceptionError?.error === 'create collision'
    if (!active || !collides || createdAddress === undefined) return done?.()
    void touch(createdAddress)
      .catch((error: unknown) => (failure ??= error))
      .then(() => done?.())
  })

  return {
    async begin({ transaction, block }) {
      touched = new Map()
      created = new Set()
      const from = transaction.getSenderAddress()
      const to =
        transaction.to ??
        createAddressFromString(toHex(contractAddress(from.bytes, transaction.nonce)))
      await touch(from)
      await touchRun(to)
      await touch(block.header.coinbase)
      for (const authority of authoritiesOf(transaction)) await touch(authority)
      active = true
    },
    async end() {
      active = false
      if (failure !== null) throw failure
      return options.diffMode ? await diff() : prestate()
    },
  }

  function prestate(): Readonly<Record<string, Shown>> {
    const shown = [...touched].filter(([name, was]) => !(created.has(name) && isEmpty(was)))
    return Object.fromEntries(shown.map(([name, was]) => [name, show(was)]))
  }

  async function diff() {
    const pre: Record<string, Shown> = {}
    const post: Record<string, Shown> = {}
    for (const [name, was] of touched) {
      const address = createAddressFromString(name)
      const now = await read(address)
      const gone = (await state.getAccount(address)) === undefined && !isEmpty(was)
      const before = new Map<string, string>()
      for (const [slot, word] of was.storage) {
        const after = gone ? zeroWord : await readSlot(address, slot)
        if (after === word) continue
        if (word !== zeroWord) before.set(slot, word)
        if (after !== zeroWord) now.storage.set(slot, after)
      }
      const changed: Shown = {
        ...(now.balance === was.balance ? {} : { balance: toQuantity(now.balance) }),
        ...(now.nonce === was.nonce ? {} : { nonce: Number(now.nonce) }),
        ...(now.code === was.code || options.disableCode ? {} : { code: now.code }),
        ...storageOf(now.storage),
      }
      const modified = Object.keys(changed).length > 0 || before.size > 0
      if (!modified && !gone) continue
      if (!gone) post[name] = changed
      if (!(created.has(name) && isEmpty(was))) pre[name] = show({ ...was, storage: before })
    }
    return { post, pre }
  }

  function show({ balance, nonce, code, storage }: Was): Shown {
    return {
      balance: toQuantity(balance),
      ...(nonce === 0n ? {} : { nonce: Number(nonce) }),
      ...(code === '0x' || options.disableCode ? {} : { code }),
      ...storageOf(storage),
    }
  }

  function storageOf(storage: ReadonlyMap<string, string>): Shown {
    if (storage.size === 0 || options.disableStorage) return {}
    return { storage: Object.fromEntries(storage) }
  }
}

function isEmpty({ balance, nonce, code }: Was): boolean {
  return balance === 0n && nonce === 0n && code === '0x'
}

function addressOf(word: bigint): Address {
  return createAddressFromString(`0x${word.toString(16).padStart(64, '0').slice(24)}`)
}
