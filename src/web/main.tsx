/** The dashboard: a client of /v1 and nothing else. */
import { render } from 'preact';
import './styles/page.css';
import { App } from './app.tsx';

render(<App />, document.getElementById('page') as HTMLElement);
