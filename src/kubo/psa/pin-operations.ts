// Operations of the Pinning Service API. Each runs as the equivalent command of the IPFS API, so the command's allowlists, rate
// limits and usage apply.
// Tested by test/files/psa.test.ts
import { Fault } from '../../base/fault.ts'
import type { PinRequests } from '../../ipfs/pins/pin-requests.ts'
import type { CommandDeclaration, CommandReply, KuboCommand } from '../kubo-command.ts'
import { parsePin, parseQuery, pinStatus } from './pin-objects.ts'

/** The operation of one request. Status of the reply: 200 for GET, otherwise 202. */
export type PinOperation = {
  readonly command: 'pin/ls' | 'pin/add' | 'pin/rm'
  readonly hasBody: boolean
  /** `body`: '' if there is none. */
  operation(body: string): KuboCommand<unknown>
}

export type PinOperationDeps = {
  readonly requests: PinRequests
  /** Multiaddrs to which clients can connect so that this server fetches their content. */
  readonly delegates: () => readonly string[]
}

type PsaRequest = {
  readonly method: string
  /** Null: the list of requests. */
  readonly id: string | null
  readonly query: string
}

/** Null: the path does not support the method. */
export function findPinOperation(
  parts: PinOperationDeps,
  request: PsaRequest,
): PinOperation | null {
  const { method, id } = request
  if (method === 'GET') return id === null ? list(parts, request) : get(parts, id)
  if (method === 'POST') return add(parts, id)
  return method === 'DELETE' && id !== null ? remove(parts, id) : null
}

type PinCaller = { readonly accountId: string; readonly keyId: string }

/** Parsing is part of the run, so that the pipeline counts a refusal. */
function declare<Input>(
  command: PinOperation['command'],
  hasBody: boolean,
  parse: (body: string) => Input,
  run: (input: Input, caller: PinCaller) => Promise<object | null>,
): PinOperation {
  const declaration: CommandDeclaration = {
    name: command,
    class: command === 'pin/ls' ? 'read' : 'write',
    ...(command === 'pin/add' && { stores: true as const }),
    argument: null,
    body: 'none',
    options: [],
  }
  return {
    command,
    hasBody,
    operation: (body) => ({
      ...declaration,
      parse: () => parse(body),
      run: async (input, { caller }): Promise<CommandReply> => ({
        kind: 'object',
        value: await run(input as Input, caller),
      }),
    }),
  }
}

function list({ requests, delegates }: PinOperationDeps, { query }: PsaRequest): PinOperation {
  return declare(
    'pin/ls',
    false,
    () => parseQuery(new URLSearchParams(query)),
    async ({ filter, limit }, { accountId }) => {
      const { count, requests: found } = await requests.list(accountId, filter, limit)
      return { count, results: found.map((one) => pinStatus(one, delegates())) }
    },
  )
}

function get({ requests, delegates }: PinOperationDeps, id: string): PinOperation {
  return declare(
    'pin/ls',
    false,
    () => id,
    async (_, { accountId }) => {
      const found = await requests.find(accountId, id)
      if (found === null) throw new Fault('absent', { detail: 'pin request not found' })
      return pinStatus(found, delegates())
    },
  )
}

/** `id`: ID of the request to replace, or null. */
function add({ requests, delegates }: PinOperationDeps, id: string | null): PinOperation {
  return declare('pin/add', true, parsePin, async (pin, { accountId, keyId }) => {
    const added = await (id === null
      ? requests.add(accountId, pin, keyId)
      : requests.replace(accountId, id, pin, keyId))
    return pinStatus(added, delegates())
  })
}

function remove({ requests }: PinOperationDeps, id: string): PinOperation {
  return declare(
    'pin/rm',
    false,
    () => id,
    async (_, { accountId }) => {
      await requests.remove(accountId, id)
      return null
    },
  )
}
