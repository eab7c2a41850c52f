export const EventsPage = () => <div className="page">events</div>;
