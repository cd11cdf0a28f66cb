// Field for the current password of the signed-in person.
// Tested by test/browser/identity.test.ts
import { TextField } from './field.tsx'
import type { Sending } from './form.tsx'

export function PasswordField({
  title = 'Password',
  value,
  sending,
  onValue,
}: {
  readonly title?: string
  readonly value: string
  /** State of the form, whose member is `password`; absent: the form shows errors above its button. */
  readonly sending?: Sending
  onValue(value: string): void
}) {
  return (
    <TextField
      title={title}
      type="password"
      autocomplete="current-password"
      value={value}
      error={sending?.of('password')}
      onValue={onValue}
    />
  )
}
