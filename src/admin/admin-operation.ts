// Type of an admin operation: one action of the dashboard and the command line, in one file. Routes, the OpenAPI document
// and the matrix of roles are generated from the table of operations (index.ts).
import type { z } from 'zod'
import type { Accounts } from '../access/accounts/accounts.ts'
import type { Cards } from '../access/cards/cards.ts'
import type { Identity } from '../access/people/identity.ts'
import type { JwtPublicKeys } from '../access/accounts/jwt-public-keys.ts'
import type { Clock } from '../base/clock.ts'
import type { AccountStorage, StorageRows } from '../ipfs/pins/account-storage.ts'
import type { ListedPin, PinChange, PinPage, PinPageRequest } from '../ipfs/pins/pin-list.ts'
import type { ContainingPins } from '../ipfs/pins/containing-pins.ts'
import type { PinRequests } from '../ipfs/pins/pin-requests.ts'
import type { InspectorAccess } from './inspector-access.ts'
import type { DryRun } from './dry-run.ts'
import type { Principal, AdminRole } from './principal.ts'
import type { BackupsView } from './resources/backups/backups-view.ts'
import type { AlertsView } from './resources/alerts/alerts-view.ts'
import type { DenialsView } from './resources/denials/denials-view.ts'
import type { IpnsKeysView } from './resources/ipns-keys/ipns-keys-view.ts'
import type { NetworksView } from './resources/networks/networks-view.ts'
import type { ServerSettingsView } from './resources/server-settings/server-settings-view.ts'
import type { ServerStatus } from './resources/server/server-status.ts'
import type { UsageView } from './resources/usage/usage-view.ts'

/** Pins and storage as rows. */
export interface PinRows {
  /** Null: `from` is not a position in the list. */
  list(accountId: string, page: PinPageRequest): Promise<PinPage | null>
  /** Null: the account has not pinned this CID. */
  find(accountId: string, cid: string): Promise<ListedPin | null>
  stored(accountId: string): Promise<AccountStorage>
  /** The account's other pins that contain the block. */
  containing(accountId: string, cid: string): Promise<ContainingPins>
  storage(): Promise<StorageRows>
  /** False: the account has not pinned this CID. */
  change(accountId: string, cid: string, change: PinChange): Promise<boolean>
  /** Makes the next announcement of a CID due now. False: none can be made due. */
  announce(cid: string): Promise<boolean>
}

/** The services that an operation can use. */
export type AdminContext = {
  readonly accounts: Accounts
  readonly cards: Cards
  readonly publicKeys: JwtPublicKeys
  readonly pins: PinRows
  readonly pinRequests: Pick<PinRequests, 'list' | 'remove'>
  readonly identity: Identity
  readonly usage: UsageView
  readonly alerts: AlertsView
  /** Null if no server runs: a command on the data folder. */
  readonly server: ServerStatus | null
  readonly networks: NetworksView
  readonly denials: DenialsView
  /** Null if no server runs. */
  readonly ipnsKeys: IpnsKeysView | null
  /** Null if no server runs. */
  readonly backups: BackupsView | null
  /** Null if no server runs. */
  readonly serverSettings: ServerSettingsView | null
  /** Null if no server runs: the command line. */
  readonly inspecting: InspectorAccess | null
  /** Null if no server runs. */
  readonly tryRequest: DryRun | null
  /** Values that `action` of a record of the audit log can have. */
  readonly auditedActions: readonly string[]
  readonly clock: Clock
}

/** Receives a session that starts or ends with the reply; the admin API sends it as a cookie. */
interface SessionSink {
  begin(session: { readonly token: string; readonly expires: number }): void
  end(): void
  /** Remembers the browser; see known-devices.ts. */
  remember(device: { readonly token: string; readonly expires: number }): void
}

/** How an admin operation was called, for the audit log. */
type AdminOrigin = {
  /** Client address; null at the command line. */
  readonly address: string | null
  readonly userAgent: string | null
  /** The device cookie as sent. */
  readonly device: string | null
  /** Origin of the dashboard page that sent the request, `https://cairn.example.org`; null: not sent. */
  readonly page: string | null
}

/** One run of an operation. */
export type AdminCall = AdminContext & {
  readonly actor: Principal | null
  readonly origin: AdminOrigin
  readonly session: SessionSink
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
}

/** Reply of an operation of form `text`: a document to save. */
export type TextReply = { readonly type: string; readonly fileName: string; readonly text: string }

/** Audit record of a change, in addition to its author. Never contains secrets. */
export type Audited = {
  readonly accountId?: string | null
  /** ID or name of the changed object. */
  readonly target?: string | null
  readonly changes?: Readonly<Record<string, unknown>>
  /** The person, if the input contained a credential. */
  readonly person?: { readonly id: string; readonly email: string }
}

/** An object that an operation changes, as the audit log records it. `writeAudit` removes members that may be secret. */
export type AuditedState = {
  /** ID, if neither path nor output contain it. */
  readonly target?: string
  /** Null: the object has no name besides its ID. */
  readonly name: string | null
  readonly values: Readonly<Record<string, unknown>>
}

type Shared = {
  /** `operationId` of the OpenAPI document. */
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Under `/api/v1`, with `{name}` for parameters: `/accounts/{account}/keys/{key}`. */
  readonly path: `/${string}`
  readonly role: AdminRole
  /** One sentence for the OpenAPI document. */
  readonly summary: string
  /** The session must be confirmed: see `requireConfirmed`. For changes with which a thief could take over the server. */
  readonly confirmed?: true
  /** Also in a session that lacks the required second factor. */
  readonly whileEnrolling?: true
}

/**
 * Declared as `{ ... } satisfies JsonOperation<typeof input, typeof output>`, so that the literal method and path stay in
 * the type: client.ts reads them.
 *
 * - `input`: a strict object of the path, the query (of GET and DELETE: texts, so coerce) and the body.
 * - `output`: schema of the reply; other members that `run` returns are removed.
 * - `run`: throws Fault, AccountsRefusal.
 */
export type JsonOperation<Input extends z.ZodType, Output extends z.ZodType> = Shared & {
  readonly form?: 'json'
  readonly input: Input
  readonly output: Output
  /**
   * The audit record of an operation other than GET. Without it: the members of the path and the body, except those that
   * may be secret. Null: the operation changes nothing.
   */
  audit?(input: z.output<Input>, output: z.output<Output>): Audited | null
  /**
   * The changed object; null: it does not exist. Read before and after `run`: the audit record contains the old and the new
   * value of each member that differs, in place of the members of the body.
   */
  state?(input: z.output<Input>, call: AdminCall): Promise<AuditedState | null>
  run(input: z.output<Input>, call: AdminCall): z.output<Output> | Promise<z.output<Output>>
}

/** Replies with a document to save. */
export type TextOperation<Input extends z.ZodType> = Shared & {
  readonly form: 'text'
  readonly input: Input
  run(input: z.output<Input>, call: AdminCall): TextReply | Promise<TextReply>
}

/** Replies with server-sent events until the client disconnects; `output`: the data of each. */
export type EventsOperation<Input extends z.ZodType, Output extends z.ZodType> = Shared & {
  readonly form: 'events'
  readonly input: Input
  readonly output: Output
  run(
    input: z.output<Input>,
    call: AdminCall,
  ): AsyncIterable<z.output<Output>> | Promise<AsyncIterable<z.output<Output>>>
}

/** As in the table of operations. */
export type AdminOperation =
  | JsonOperation<z.ZodType, z.ZodType>
  | TextOperation<z.ZodType>
  | EventsOperation<z.ZodType, z.ZodType>
