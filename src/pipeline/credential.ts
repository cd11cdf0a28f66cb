// What a request brings to authenticate itself, whatever the API.
import type { Caller } from '../access/accounts/caller.ts'

/**
 * What the caller sent, not yet judged. `user`: the Basic user name when it is not empty. `jwt`: of a Bearer header. `address`: where it
 * comes from, as the socket says. `origin`, `userAgent`: the headers, as they are.
 */
export type Credential = {
  /** Who calls, where that was judged already: the rest is not looked at. */
  readonly caller?: Caller
  readonly key: string | null
  readonly secret: string | null
  readonly user?: string | undefined
  readonly jwt?: string | undefined
  readonly address?: string
  readonly origin?: string | undefined
  readonly userAgent?: string | undefined
}
