// Renders the dashboard into the document.
import { render } from 'preact'
import './style/tokens.css'
import './style/base.css'
import './style/shell.css'
import './style/parts.css'
import './style/forms.css'
import './style/tables.css'
import { App } from './app/app.tsx'
import { applyTheme, storedTheme } from './app/theme.ts'

applyTheme(storedTheme())
const root = document.querySelector('#app')
if (root !== null) render(<App />, root)
