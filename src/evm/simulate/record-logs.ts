// Records every log of a call, and a log for each transfer of ether as if ether were an ERC-20 token at 0xeeee…eeee
// (`traceTransfers`). Logs of a failed frame are dropped.
// Tested by src/evm/simulate/simulate.test.ts
import { fromHex, toHex } from '../../base/hex.ts'
import type { Log } from '../../codec/ethereum/receipt.ts'
import type { StateVm } from '../vm-over-state.ts'
import { eventsOf } from '../trace/tracer.ts'
import { opcodes, readMemory, watchOpcodes } from '../watch-opcodes.ts'
import type { Frame } from '../watch-opcodes.ts'

const ether = fromHex(`0x${'ee'.repeat(20)}`)
/** keccak256 of `Transfer(address,address,uint256)`. */
const transferTopic = fromHex('0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef')

/** The address of a new contract is known only after its creation: `to` is filled in then. */
type Entry = Log | { readonly from: Uint8Array; readonly value: bigint }

export type LogRecord = {
  begin(): void
  /** The logs since `begin`, in order. */
  end(): readonly Log[]
}

export function recordLogs(machine: StateVm): LogRecord {
  /** Entries of the open frames. The outermost frame remains at the end. */
  let frames: Entry[][] | null = null
  const add = (entry: Entry) => frames?.at(-1)?.push(entry)
  const events = eventsOf(machine)

  events.on('beforeMessage', ({ caller, to, value, _codeAddress }) => {
    frames?.push([])
    // DELEGATECALL and CALLCODE run code of another account, and move no ether.
    if (_codeAddress !== undefined || value === 0n) return
    if (to === undefined) add({ from: caller.bytes, value })
    else add(transferLog(caller.bytes, to.bytes, value))
  })
  events.on('afterMessage', ({ execResult, createdAddress }) => {
    const ended = frames?.pop()
    if (ended === undefined || execResult.exceptionError !== undefined) return
    for (const entry of ended) {
      if ('topics' in entry) add(entry)
      else if (createdAddress !== undefined) {
        add(transferLog(entry.from, createdAddress.bytes, entry.value))
      }
    }
  })
  watchOpcodes(machine.vm, [0xa0, 0xa1, 0xa2, 0xa3, 0xa4], (code, frame) => {
    const log = frames === null ? null : logOf(frame, code - 0xa0)
    if (log !== null) add(log)
  })
  watchOpcodes(machine.vm, [opcodes.selfDestruct], async (_, { env, stack }) => {
    if (frames === null || stack.length < 1) return
    const balance = (await machine.state.getAccount(env.address))?.balance ?? 0n
    const heir = word(stack.peek(1)[0] ?? 0n).subarray(12)
    if (balance > 0n) add(transferLog(env.address.bytes, heir, balance))
  })

  return {
    begin() {
      frames = [[]]
    },
    end() {
      const logs = (frames?.[0] ?? []).filter((entry) => 'topics' in entry)
      frames = null
      return logs
    },
  }
}

function logOf(frame: Frame, topicCount: number): Log | null {
  const { env, stack } = frame
  if (stack.length < topicCount + 2) return null
  const [offset = 0n, size = 0n, ...topics] = stack.peek(topicCount + 2)
  const data = readMemory(frame, offset, size)
  return data === null ? null : { address: env.address.bytes, topics: topics.map(word), data }
}

function transferLog(from: Uint8Array, to: Uint8Array, value: bigint): Log {
  const topics = [transferTopic, word(BigInt(toHex(from))), word(BigInt(toHex(to)))]
  return { address: ether, topics, data: word(value) }
}

function word(value: bigint): Uint8Array {
  return fromHex(`0x${value.toString(16).padStart(64, '0')}`)
}
