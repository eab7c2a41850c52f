export const StartPage = () => <div className="page">start</div>;
