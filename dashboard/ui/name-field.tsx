// The name that somebody gives a thing: as long as the API takes it, filled in by no browser.
// Tested by test/browser/keys.test.ts
import { TextField } from './field.tsx'
import type { Sending } from './form.tsx'

export function NameField({
  hint,
  value,
  sending,
  onValue,
}: {
  readonly hint?: string
  readonly value: string
  /** Of the form, whose `name` it is. */
  readonly sending: Sending
  onValue(value: string): void
}) {
  return (
    <TextField
      title="Name"
      {...(hint === undefined ? {} : { hint })}
      value={value}
      maxLength={64}
      autocomplete="off"
      error={sending.of('name')}
      onValue={onValue}
    />
  )
}
