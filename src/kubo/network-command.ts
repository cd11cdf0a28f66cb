// Commands that the network process answers: each builds its message, and returns the reply in Kubo's shape.
// Tested by src/kubo/commands/network/network-commands.test.ts
import type { CID } from 'multiformats/cid'
import type { Clock } from '../base/clock.ts'
import { withDeadline } from '../base/deadline.ts'
import { Fault } from '../base/fault.ts'
import type { KeyedSemaphore } from '../base/keyed-semaphore.ts'
import { parseCid } from '../codec/ipld/cid.ts'
import type { NetCommand } from '../ipfs/network/net-messages.ts'
import type { PeerNetwork } from '../ipfs/network/peer-network.ts'
import type { CommandCall, CommandRequest, KuboCommand } from './kubo-command.ts'
import { fetchPolicyOf } from './params/file-options.ts'

/** The parts of the IPFS network that commands use. */
export type KuboNetwork = Pick<PeerNetwork, 'command' | 'wantsOf'> & {
  /** Kubo's `Routing.Type` for the same routers and DHT. */
  readonly routingType: () => 'autoclient' | 'dhtclient' | 'delegated' | 'none'
  /** Null: nothing is announced. */
  readonly provideStat: () => Promise<ProvideStat> | null
  /** Whether keys of this account may change connections and publish records. */
  readonly isOperator: (accountId: string) => boolean
  /** Running commands by account. */
  readonly running: KeyedSemaphore
  readonly clock: Clock
}

/** Maximum number of running commands of an account: a quarter of those of the server. */
export const commandsPerAccountMax = 16

/** Counts of announced CIDs. `late`: overdue by more than a quarter of the interval. `over`: beyond `cidsMax`. */
type ProvideStat = {
  readonly due: number
  readonly done: number
  readonly late: number
  readonly over: number
  /** Number announced each interval. */
  readonly planned: number
}

type Declared = Pick<KuboCommand<unknown>, 'name' | 'argument' | 'options' | 'file'> & {
  readonly body?: KuboCommand<unknown>['body']
  /** It changes connections or publishes, so only operators may use it. */
  readonly changes?: true
}

/**
 * `message` throws `bad_argument` or `command_failed`. `reply` renders a single value, which may be undefined; without it the
 * values are sent as lines.
 */
export function networkCommand(
  network: KuboNetwork | null,
  declared: Declared,
  message: (request: CommandRequest) => NetCommand | Promise<NetCommand>,
  reply?: (value: unknown, request: CommandRequest) => unknown,
): KuboCommand<CommandRequest> {
  const { name, argument, options, file, body = 'none', changes } = declared
  return {
    name,
    class: changes === true ? 'write' : 'read',
    argument,
    ...(file !== undefined && { file }),
    body,
    options,
    parse: (request) => request,
    async run(request, call) {
      const open = requireNetwork(network)
      if (changes === true) requireOperator(open, call, name)
      const values = runFor(call, open, await message(request), request)
      if (reply === undefined) {
        const first = await values.next()
        return { kind: 'events', lines: fromFirst(first, values), live: false }
      }
      const [value] = await Array.fromAsync(values)
      return { kind: 'object', value: reply(value, request) }
    },
  }
}

/** Runs a command for the account, for as long as the option `timeout` allows. Throws `overloaded`, `deadline`. */
async function* runFor(
  { caller, signal }: CommandCall,
  { command, running, clock }: KuboNetwork,
  message: NetCommand,
  { options }: CommandRequest,
): AsyncGenerator<unknown> {
  if (!running.acquire(caller.accountId)) {
    throw new Fault('overloaded', {
      detail: `${commandsPerAccountMax} commands of this account wait for the IPFS network, which is the limit`,
    })
  }
  try {
    const { timeoutMs } = fetchPolicyOf(options)
    if (timeoutMs === null) return yield* command(message, signal)
    using deadline = withDeadline(signal, timeoutMs, clock)
    yield* command(message, deadline.signal)
  } finally {
    running.release(caller.accountId)
  }
}

/** Errors before the first value become error replies. */
async function* fromFirst(
  first: IteratorResult<unknown>,
  rest: AsyncGenerator<unknown>,
): AsyncGenerator<unknown> {
  try {
    if (first.done === true) return
    yield first.value
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}

/** Throws `command_failed`, with the name of the setting. */
export function requireNetwork(network: KuboNetwork | null): KuboNetwork {
  if (network !== null) return network
  throw new Fault('command_failed', {
    detail: 'this server does not use the IPFS network: set ipfsNetwork.mode to fetch or provide',
  })
}

function requireOperator({ isOperator }: KuboNetwork, { caller }: CommandCall, name: string): void {
  if (isOperator(caller.accountId)) return
  throw new Fault('command_failed', {
    detail: `${name} is for operators: add the ID of the account to ipfsNetwork.operators`,
  })
}

export function firstArgument({ args }: CommandRequest): string {
  return args[0] ?? ''
}

/** `<cid>` or `/ipfs/<cid>`, as a string. Throws `command_failed`. */
export function cidArgument(request: CommandRequest): string {
  const text = firstArgument(request).replace(/^\/ipfs\//, '')
  const cid: CID | null = parseCid(text)
  if (cid !== null) return cid.toString()
  throw new Fault('command_failed', {
    detail: `invalid CID: ${JSON.stringify(text.slice(0, 200))}`,
  })
}
