import { Icon } from './icon.tsx';

export const SearchField = (props: {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly small?: boolean;
}) => (
  <div className="search-field">
    <Icon name="search" />
    <input
      className={props.small === true ? 'input small' : 'input'}
      type="search"
      aria-label={props.label}
      placeholder={props.placeholder}
      value={props.value}
      onChange={(event) => props.onChange(event.target.value)}
    />
  </div>
);
