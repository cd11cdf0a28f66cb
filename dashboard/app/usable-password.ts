// Whether the signed-in person can sign in with a password. Pure.
import type { AdminReply } from '../../src/admin/client.ts'

export function hasUsablePassword({
  person,
  means,
}: Pick<AdminReply<'GET /me'>, 'person' | 'means'>): boolean {
  return person.hasPassword && means.password
}
