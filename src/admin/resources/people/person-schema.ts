// Schemas of people, sessions, tokens and invitations. They contain no credentials.
// Tested by test/admin/admin-people.test.ts
import { z } from 'zod'
import { time } from '../../time-schema.ts'

export const accountRole = z.enum(['owner', 'member'])
export const anyRole = z.enum(['operator', 'owner', 'member'])

/** Email in input. */
export const emailText = z.string().max(254)
export const passwordText = z.string().max(1024)
export const codeText = z.string().max(64)
export const linkText = z.string().max(128)
export const nameText = z.string().max(100)
/** The seal from the begin of a sign-in at the OpenID provider. */
export const sealText = z.string().max(2048)
/** Query of the URL that the provider redirected to. */
export const queryText = z.string().max(8192)
/** The URL at which the browser signs in at the provider. */
export const openIdRequest = z.object({ location: z.string(), seal: z.string() })
export const idText = z.string().max(64)

/** How a person signs in. */
const signInMeans = {
  /** Does sign-in by password also require a code of an authenticator? */
  hasTotp: z.boolean(),
  /** Number of passkeys that are valid for sign-in. */
  passkeys: z.int(),
  /** False: sign-in is by passkey or OpenID only. */
  hasPassword: z.boolean(),
  /** Issuer of their identity at an OpenID provider; null: none is linked. */
  issuer: z.string().nullable(),
}

export const person = z.object({
  id: z.string(),
  email: z.string(),
  name: z.string(),
  isOperator: z.boolean(),
  created: time,
  /** Time since which sign-in is disabled; null: enabled. */
  disabled: time.nullable(),
  ...signInMeans,
})

export const session = z.object({
  id: z.string(),
  created: time,
  lastSeen: time,
  expires: time,
  agent: z.string(),
  /** Null: the server does not store addresses. */
  address: z.string().nullable(),
  /** The session of this request. */
  isThis: z.boolean(),
})

export const token = z.object({
  id: z.string(),
  name: z.string(),
  prefix: z.string(),
  role: anyRole,
  created: time,
  expires: time.nullable(),
  revoked: time.nullable(),
  /** `2026-01-31`, or null: never used. */
  lastUsedDay: z.string().nullable(),
})

export const member = z.object({
  personId: z.string(),
  email: z.string(),
  name: z.string(),
  role: accountRole,
  since: time,
  disabled: z.boolean(),
  ...signInMeans,
})

export const invitation = z.object({
  id: z.string(),
  role: anyRole,
  accountId: z.string().nullable(),
  accountName: z.string().nullable(),
  /** The only email address that may accept it; null: any. */
  email: z.string().nullable(),
  created: time,
  expires: time,
})

/** The secret part of a link, which follows `/dashboard/welcome#`; shown once. */
export const madeInvitation = z.object({
  invitation,
  link: z.string(),
  /** True: mailed to its email address. */
  mailed: z.boolean(),
})
