// A value of an answer, readable as number, hex, address or text; other answers as JSON.
// Tested by dashboard/proof/value-forms.test.ts
import { useState } from 'preact/hooks'
import { CodeBlock } from '../ui/copy.tsx'
import { Segments } from '../ui/toolbar.tsx'
import { formsOf } from './value-forms.ts'

export function ValueView({
  value,
  isRefused = false,
}: {
  readonly value: unknown
  /** The value is not proved, so it is struck through. */
  readonly isRefused?: boolean
}) {
  const forms = formsOf(value)
  const [chosen, setChosen] = useState('')
  const shown = forms.find(({ name }) => name === chosen) ?? forms[0]
  if (shown === undefined) {
    return <CodeBlock text={JSON.stringify(value, null, 2)} title="the answer" wrapped />
  }
  return (
    <div class="value-view">
      <output>{isRefused ? <del>{shown.text}</del> : shown.text}</output>
      <Segments
        title="Read as"
        value={shown.name}
        options={forms.map(({ name }) => ({ value: name, title: name }))}
        onValue={setChosen}
      />
    </div>
  )
}
