// The password of whoever is there, as they have it now.
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
  /** Of the form, whose `password` it is; absent: what is wrong is said above the button. */
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
