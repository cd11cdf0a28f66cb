// The first cell of a person's row: initial, name, email.
// Tested by test/browser/frame.test.ts
import { Badge } from '../../ui/badge.tsx'

export function PersonCell({
  name,
  email,
  isMe,
}: {
  /** May be empty. */
  readonly name: string
  readonly email: string
  readonly isMe: boolean
}) {
  const shown = name === '' ? email : name
  return (
    <span class="with-avatar">
      <span class="avatar round" aria-hidden="true">
        {shown.charAt(0)}
      </span>
      <span class="two contact">
        <span>
          {shown} {isMe && <Badge tone="accent">You</Badge>}
        </span>
        <small>{email}</small>
      </span>
    </span>
  )
}

/** Returns true if `typed` matches a row with these texts. */
export function isFound(
  { name, email }: { readonly name: string; readonly email: string },
  typed: string,
): boolean {
  return `${name} ${email}`.toLowerCase().includes(typed.trim().toLowerCase())
}
