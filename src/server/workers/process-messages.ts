// Messages between the primary process and its children: the keeper and the workers.
import type { Config } from '../../config/settings.ts'
import type { Role } from './role.ts'

export type ToChild =
  /** The first message. */
  | { readonly kind: 'start'; readonly role: Role; readonly config: Config }
  /** To the keeper: the workers listen on this port. */
  | { readonly kind: 'bound'; readonly port: number }
  /** Other live settings. Replied to by `applied`. */
  | { readonly kind: 'settings'; readonly id: number; readonly config: Config }
  /** Read the certificate again, and open the access log again. */
  | { readonly kind: 'reload' }
  | { readonly kind: 'stop' }
  /** The reply to `drained`. */
  | { readonly kind: 'end' }

export type FromChild =
  /** The program is loaded, and `start` can be sent. */
  | { readonly kind: 'loaded' }
  /** The keeper accepts connections and links of workers. */
  | { readonly kind: 'open' }
  /** The worker is listening. */
  | { readonly kind: 'listening'; readonly port: number; readonly url: string }
  | { readonly kind: 'ready'; readonly greeting: Greeting | null }
  /** `problem` null: applied; otherwise the old settings are still in force. */
  | { readonly kind: 'applied'; readonly id: number; readonly problem: string | null }
  /** Requests `end`, which the primary sends after all connections that it has passed to this process. */
  | { readonly kind: 'drained' }
  /** The start failed with this sentence for the operator. */
  | { readonly kind: 'failed'; readonly problem: string; readonly code: string | null }

/** Result of the keeper's start. */
export type Greeting = {
  readonly adminUrl: string | null
  readonly firstKey: { readonly apiKey: string; readonly apiKeySecret: string } | null
  readonly firstRun: { readonly link: string; readonly expires: number } | null
  readonly config: Config
}
