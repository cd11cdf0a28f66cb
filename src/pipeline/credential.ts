// Credentials of a request, for every API.
import type { Caller } from '../access/accounts/caller.ts'

/**
 * As sent by the client, not validated. `user`: the Basic user name if not empty. `jwt`: of a Bearer header. `address`: the
 * client address of the socket. `origin`, `userAgent`: the unchanged headers.
 */
export type Credential = {
  /** Already authenticated caller: the other members are ignored. */
  readonly caller?: Caller
  readonly key: string | null
  readonly secret: string | null
  readonly user?: string | undefined
  readonly jwt?: string | undefined
  readonly address?: string
  readonly origin?: string | undefined
  readonly userAgent?: string | undefined
}
