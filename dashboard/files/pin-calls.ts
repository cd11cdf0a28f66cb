// Changes pins with a key of the account: rename, unpin, and restore an unpinned pin.
// Tested by test/browser/files.test.ts
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { callFiles, type KeyPlace } from '../app/as-key.ts'

export type Pin = AdminReply<'GET /accounts/{account}/files'>['pins'][number]

/** The name of the pin, or the start of its CID. */
export function pinTitle({ name, cid }: Pick<Pin, 'name' | 'cid'>): string {
  return name === '' ? `${cid.slice(0, 12)}…` : name
}

/** Readers need no key. `provide`: setting of the account. */
export function isPublic(pin: Pick<Pin, 'provide'> | null, provide: Pin['provide']): boolean {
  return provide !== 'none' && pin !== null && pin.provide !== 'none'
}

/** Pins again, which replaces the name. Rejects with ApiError. */
export async function renamePin(place: KeyPlace, pin: Pin, name: string): Promise<void> {
  await pinAgain(place, pin, { name })
}

/** Rejects with ApiError. */
export async function unpin(place: KeyPlace, { cid, mode }: Pin): Promise<void> {
  const recursive = String(mode === 'recursive')
  await (await callFiles(place, 'pin/rm', { arg: cid, recursive })).text()
}

/** Restores the pin with its name, date, key and visibility. Rejects with ApiError. */
export async function restorePin(place: KeyPlace, pin: Pin): Promise<void> {
  const { cid, name, created, keyId, provide } = pin
  // A private pin must never be public, not even briefly.
  await pinAgain(place, pin, { name, ...(provide === 'all' ? {} : { provide: 'false' }) })
  const level = provide === 'roots' ? { provide } : {}
  await call('PATCH /accounts/{account}/files/{cid}', {
    account: place.account,
    cid,
    created,
    ...(keyId === null ? {} : { keyId }),
    ...level,
  })
}

async function pinAgain(
  place: KeyPlace,
  { cid, mode }: Pin,
  options: Readonly<Record<string, string>>,
): Promise<void> {
  const recursive = String(mode === 'recursive')
  await (await callFiles(place, 'pin/add', { arg: cid, recursive, ...options })).text()
}
