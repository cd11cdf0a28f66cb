// Field for the name of an object, with the length limit of the API and without autocomplete.
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
  /** State of the form; the field shows the error of its member `name`. */
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
